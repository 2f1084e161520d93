"""The equations learners share, one unbatched function each: targets, policy gradients, exploration, replay."""
