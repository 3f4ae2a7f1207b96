"""The article workflow: researched in documents, argued from a chosen thesis, checked to the last statistic."""
