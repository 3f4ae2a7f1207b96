"""The runtime `model`: a language model carries out a turn, through Pydantic AI.

Only `model_choice` and `runtime` can be imported without the extra `model`.
"""
