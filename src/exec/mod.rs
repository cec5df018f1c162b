//! Plans that run: operators that pull rows, and the cursors that keep them between commands.

/// Open cursors.
#[derive(Default)]
pub struct CursorTable {}
