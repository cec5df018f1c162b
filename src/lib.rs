//! PandoDB's engine: MongoDB's document model over pages that may not be in memory.
