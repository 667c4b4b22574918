//! Eviction.

use super::*;

#[test]
fn the_oldest_snapshots_are_evicted_first() {
    let rig = Rig::new(Policy { max_snapshots: 2, ..Policy::default() });
    let roots = ["a", "b", "c"].map(|name| rig.directory(name));
    for root in &roots {
        rig.get(root);
        rig.pass(1);
    }
    let cached: Vec<PathBuf> =
        rig.cache.stats().snapshots.iter().map(|cached| cached.snapshot.root().to_owned()).collect();
    assert_eq!(cached, &roots[1..]);
    assert_eq!(rig.cache.stats().evictions, 1);
}

#[test]
fn the_bytes_of_all_snapshots_are_bounded() {
    let small = Rig::new(Policy::default());
    let bytes = small.get(&small.directory("a")).snapshot.bytes();
    let rig = Rig::new(Policy { max_bytes: bytes * 2 + 8, ..Policy::default() });
    for name in ["a", "b", "c"] {
        rig.get(&rig.directory(name));
        rig.pass(1);
    }
    assert_eq!(rig.cached(), 2);
    let rig = Rig::new(Policy { max_bytes: 1, ..Policy::default() });
    assert_eq!(rig.get(&rig.root()).snapshot.len(), 1, "a snapshot that does not fit is still returned");
    assert_eq!(rig.cached(), 0);
}

struct Large;

impl Derived for Large {
    fn bytes(&self) -> usize {
        20_000
    }
}

#[test]
fn derived_structures_count_towards_the_bound() {
    let rig = Rig::new(Policy { max_bytes: 10_000, ..Policy::default() });
    let scan = rig.get(&rig.root());
    assert_eq!(rig.cached(), 1);
    let built = scan.snapshot.derived(|_| Ok::<_, Stopped>(Large));
    assert!(built.is_ok());
    rig.cache.enforce_bounds();
    assert_eq!(rig.cached(), 0);
}
