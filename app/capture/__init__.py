"""What comes in, before it is understood: which sightings are one prompt."""
