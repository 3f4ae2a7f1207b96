"""The runtime `model`: a turn is carried out by a language model, through Pydantic AI.

`choosing` says which model an agent gets, `talk` holds the conversation of one turn, `patience` comes back to a busy
provider, `tools` is what a model may do besides giving its output, `refusals` are words for what went wrong.
Only `choosing` and `runtime` may be imported without the extra `model`.
"""
