"""The flows: load values, call deciders, save. One file per flow."""
