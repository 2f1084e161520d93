"""The page: play, watch and understand."""
