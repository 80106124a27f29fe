"""Flask: what operators see, the API that programs use, and the reports that both take away.

Not here: decisions; a screen and an operation call the same function of `services`.
"""
