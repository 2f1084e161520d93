"""Reading the words after a player's name."""


def whole_number(what: str, text: str, least: int, most: int) -> int:
    """The number in `text`; ValueError says what was expected of `what`."""
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ValueError(f"{what} is '{text}': expected a whole number from {least} to {most}")
    return int(text)
