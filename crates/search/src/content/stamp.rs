//! Evidence that a file did not change.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cairn_walk::are_times_settled;

use crate::open::FileStat;

/// The state of a file that every change alters, but for the cases in [`settle_time`].
///
/// The time of the last change is kept as it is, because no program can set it; the rest is a hash of device, inode, mode, size
/// and time of modification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    changed: i64,
    rest: u64,
}

impl Stamp {
    pub(super) fn of(stat: &FileStat) -> Self {
        let parts = [stat.device, stat.inode, u64::from(stat.mode), stat.size, stat.modified.cast_unsigned()];
        Self { changed: stat.changed, rest: parts.into_iter().fold(0, mix) }
    }
}

/// Adds a number to a hash.
pub(super) fn mix(hash: u64, part: u64) -> u64 {
    let product = (hash.rotate_left(29) ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

/// Whether every change of a file after `now` gives it another stamp.
pub(super) fn is_settled(stat: &FileStat, now: SystemTime, settle: Duration) -> bool {
    let nanoseconds = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    let since = nanoseconds(now.duration_since(UNIX_EPOCH).unwrap_or_default());
    are_times_settled(stat.modified, stat.changed, now) && stat.changed.saturating_add(nanoseconds(settle)) <= since
}

/// What a writer may need beyond the times of the kernel.
const MARGIN: Duration = Duration::from_secs(5);

/// How long a page that a program writes to through a mapping can stay dirty. The first store to a clean page changes the times of
/// its file, the next ones do not, until the kernel has written the page back. `None` if it never does so by itself.
pub(super) fn settle_time() -> Option<Duration> {
    let hundredths =
        |name: &str| -> Option<u64> { fs::read_to_string(format!("/proc/sys/vm/{name}")).ok()?.trim().parse().ok() };
    let [expire, interval] = [hundredths("dirty_expire_centisecs")?, hundredths("dirty_writeback_centisecs")?];
    (interval > 0).then(|| Duration::from_millis((expire + interval) * 10) + MARGIN)
}

/// Waits until every change of a file gives it another stamp.
#[cfg(all(test, target_os = "linux"))]
pub(super) fn wait_until_settled(path: &std::path::Path) {
    let stat = crate::open::Opener::default().stat(path.as_os_str().as_encoded_bytes()).expect("a file");
    while !is_settled(&stat, SystemTime::now(), Duration::ZERO) {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_state_changes_the_stamp() {
        let stat =
            FileStat { device: 1, inode: 2, mode: 3, links: 1, size: 4, modified: 5, changed: 6, keeps_times: true };
        let others = [
            FileStat { device: 9, ..stat },
            FileStat { inode: 9, ..stat },
            FileStat { mode: 9, ..stat },
            FileStat { size: 9, ..stat },
            FileStat { modified: 9, ..stat },
            FileStat { changed: 9, ..stat },
            // Swapped.
            FileStat { device: 2, inode: 1, ..stat },
        ];
        for other in others {
            assert_ne!(Stamp::of(&stat), Stamp::of(&other), "{other:?}");
        }
        assert_eq!(Stamp::of(&stat), Stamp::of(&FileStat { links: 7, keeps_times: false, ..stat }));
    }

    #[test]
    fn a_file_is_settled_when_its_last_change_is_old_enough() {
        let now = SystemTime::now();
        let at = |ago: Duration| {
            let time = (now - ago).duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as i64 | 1;
            FileStat { modified: time, changed: time, ..FileStat::default() }
        };
        for (ago, settle, expected) in [(1000, 0, true), (1, 0, false), (1000, 2000, false), (3000, 2000, true)] {
            let found = is_settled(&at(Duration::from_millis(ago)), now, Duration::from_millis(settle));
            assert_eq!(found, expected, "{ago} {settle}");
        }
    }
}
