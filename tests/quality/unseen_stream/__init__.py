"""Labels, starts, questions and a reader's answers for a stream that no rule was fitted on; of its text nothing is kept."""
