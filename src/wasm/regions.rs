//! Where JavaScript writes requests: a region of memory for each one that is being encoded.
//!
//! Encoding calls user code, which may begin requests of its own, so there are as many regions as needed. A region's
//! bytes become the request itself, uncopied.

/// The regions in use. Handles count from 1 and are reused.
#[derive(Default)]
pub struct Regions {
    slots: Vec<Option<Vec<u8>>>,
    free: Vec<usize>,
}

impl Regions {
    /// A region of `capacity` zero bytes, and its handle.
    pub fn begin(&mut self, capacity: usize) -> u32 {
        let region = Some(vec![0; capacity]);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot] = region;
                slot
            }
            None => {
                self.slots.push(region);
                self.slots.len() - 1
            }
        };
        slot as u32 + 1
    }

    /// Makes a region larger, its bytes kept. `None` if there is no such region.
    pub fn grow(&mut self, handle: u32, capacity: usize) -> Option<()> {
        let region = self.slot(handle)?.as_mut()?;
        region.resize(capacity.max(region.len()), 0);
        Some(())
    }

    /// Where a region is now: it moves when it grows.
    pub fn pointer(&mut self, handle: u32) -> Option<*const u8> {
        Some(self.slot(handle)?.as_ref()?.as_ptr())
    }

    /// Takes the first `length` bytes of a region, which is no more then. `None` if there is none, or it is shorter.
    pub fn take(&mut self, handle: u32, length: usize) -> Option<Vec<u8>> {
        let slot = self.slot(handle)?;
        if slot.as_ref()?.len() < length {
            return None;
        }
        let mut region = slot.take()?;
        self.free.push(handle as usize - 1);
        region.truncate(length);
        Some(region)
    }

    fn slot(&mut self, handle: u32) -> Option<&mut Option<Vec<u8>>> {
        self.slots.get_mut((handle as usize).checked_sub(1)?)
    }
}
