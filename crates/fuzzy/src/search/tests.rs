use std::cell::Cell;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::score::TIER_SPAN;
use crate::typos::TypoSearch;

/// An index of one path. The path of a directory ends with a slash.
fn index_of(path: &str) -> (Index, &[u8]) {
    let is_directory = path.ends_with('/');
    let path = path.trim_end_matches('/');
    let mut index = Index::with_capacity(1);
    index.push(path.as_bytes(), path.rfind('/').map_or(0, |slash| slash + 1), is_directory);
    (index.finish(), path.as_bytes())
}

fn search_for(query: &Query, index: &Index) -> Search {
    let Ok(search) = Search::new(query, index, &|| Ok::<(), Infallible>(()));
    search
}

/// The score as typed, otherwise with typos.
fn score(query: &str, path: &str) -> Option<u32> {
    let (index, path) = index_of(path);
    let query = Query::parse(query);
    let search = search_for(&query, &index);
    let typed = search.score(&index, 0, || path, 0);
    let with_typos = |typos: Option<TypoSearch>| {
        let typos = typos.filter(|typos| typos.plausible(&search, &index, 0..1) == 1)?;
        scored(typos.score(&search, &index, 0, || path))
    };
    let is_above = |score: Option<u32>, tier: Tier| score.is_some_and(|score| score >= tier.ceiling());
    let mut best = scored(typed);
    if !is_above(best, Tier::NameTypo) {
        best = best.max(with_typos(TypoSearch::in_names(&query, &search)));
    }
    if !is_above(best, Tier::PathTypo) {
        best = best.max(with_typos(TypoSearch::in_paths(&query, &search, &index)));
    }
    best
}

fn scored(verdict: Verdict) -> Option<u32> {
    if let Verdict::Score(score) = verdict { Some(score) } else { None }
}

fn as_typed(query: &str, path: &str) -> bool {
    let (index, path) = index_of(path);
    search_for(&Query::parse(query), &index).score(&index, 0, || path, 0) != Verdict::Miss
}

fn tier(query: &str, path: &str) -> Option<u32> {
    score(query, path).map(|score| score / TIER_SPAN)
}

fn positions(query: &str, path: &str) -> Vec<usize> {
    let (index, path) = index_of(path);
    search_for(&Query::parse(query), &index).positions(&index, 0, path)
}

fn marked(query: &str, path: &str) -> String {
    positions(query, path).iter().map(|&at| path.as_bytes()[at] as char).collect()
}

/// Each list is in the order in which its query ranks it.
#[test]
fn better_matches_rank_higher() {
    for (reason, query, ranked) in [
        (
            "the tiers in order",
            "core",
            vec![
                "a/core",
                "a/core.c",
                "a/sched_core.c",
                "a/encore.c",
                "co/re.c",
                "cache/other/rest/east",
                "a/cold_store.c",
                "core/x.c",
                "a/cote.c",
                "cote/x.c",
                "xc/xo/xr/xe",
            ],
        ),
        ("an ancestor never outranks a base name", "net", vec!["a/b/c/d/planet.c", "net/x.c"]),
        ("shorter names first among prefixes", "core", vec!["x/core.c", "x/core_sched.c", "x/core_scheduling.c"]),
        ("a whole stem first among prefixes", "core", vec!["x/core.conf", "x/cores.c"]),
        (
            "a directory before what is in it",
            "sched/",
            vec!["sched/", "kernel/sched/", "sched/x.c", "kernel/sched/sched.c"],
        ),
        ("camel case begins a word", "bar", vec!["fooBar.ts", "foobar.ts"]),
        (
            "the exact path",
            "kernel/sched/core.c",
            vec!["kernel/sched/core.c", "a/kernel/sched/core.c", "kernel/sched/core.c.orig"],
        ),
        (
            "a path prefix before abbreviations",
            "kernel/sched/cor",
            vec!["kernel/sched/core.c", "kernel/rt_sched/cor_x.c"],
        ),
        ("adjacent segments before distant ones", "ker/cor", vec!["kernel/core.c", "kernel/a/core.c"]),
        ("words in any order, both in the name first", "core sched", vec!["a/sched_core.c", "sched/core.c"]),
        ("words in the order of the path", "sysctl kernel", vec!["sysctl/kernel.c", "kernel/sysctl.c"]),
        ("the nearer directory", "sched core", vec!["a/sched/core.c", "sched/a/core.c"]),
        ("next to other words, letters in a name count little", "rcar adg", vec!["rcar/adg.c", "rcar_du_group.c"]),
        (
            "next to other words, a directory counts more than letters",
            "nx index",
            vec!["a/nx/index.js", "a/b/index.js"],
        ),
        ("a directory with that name too", "dss omapdss", vec!["dss/omapdss.h", "sd/omapdss.h"]),
        (
            "next to other words, other punctuation counts little",
            "rockchip rk-hdmi",
            vec!["rockchip/rk-hdmi.c", "a/rockchip,rk_hdmi.c"],
        ),
        ("few other letters in the name", "tps6528", vec!["a/tps65218.c", "a/gpio-tps65218.c"]),
        (
            "letters without the typed punctuation rank below other matches",
            "stm.rts",
            vec!["a/stm.rst", "a/stm2-resets.h"],
        ),
        ("but beginnings of words rank above", "sch-core", vec!["a/sched_core.c", "a/sch-cora.c"]),
        ("in a path the words need some separator", "kvw_ras", vec!["a/kvm_ras.h", "kernel/vdso-wrap.S"]),
        ("of any kind", "usb-core-hub", vec!["usb/core/hub.c", "a/usb-core-hib.c"]),
        ("letters with separators between them", "schedcore", vec!["sched_core.c", "schedule_corner.c"]),
        ("fewer typos", "schedcroe", vec!["sched_core.c", "shced_core.c"]),
        ("a letter swapped before one wrong", "psi-gpio", vec!["a/spi-gpio.c", "a/ps2-gpio.c"]),
        ("a letter swapped before one too many", "cmonsole", vec!["a/mconsole.h", "a/console.h"]),
        ("the typed punctuation with a typo", "gpvo-led", vec!["a/gpio-led.yaml", "a/gpio_led.c"]),
        (
            "no punctuation, typed or in the name, with a typo",
            "erlyprnitk",
            vec!["a/earlyprintk.rst", "a/early_printk.c"],
        ),
        ("a typo at the beginning of a name", "cinfig", vec!["config.c", "x_config.c", "xconfig.c"]),
        ("a typo in a name before one in a path", "cinfig", vec!["a/config.c", "config/a.c"]),
        ("the typed case", "README", vec!["README", "readme"]),
        ("the typed case among parts", "Bar", vec!["fooBar.ts", "foo_bar.ts"]),
        ("the typed case of letters apart", "SchCor", vec!["SchedCore.c", "sched_core.c"]),
        ("the typed case of some letters apart", "SchCor", vec!["SchedCore.c", "Sched_core.c", "sched_core.c"]),
        ("the typed case with a typo", "Widgte", vec!["z/Widget.tsx", "a/widget.tsx"]),
        ("the typed case with a typo in a path", "Widgte/a", vec!["Widget/a.ts", "widget/a.ts"]),
        ("the typed case in the name, not in its directory", "Core", vec!["a/Core.c", "Core/core.c"]),
        ("the typed case in segments", "Ker/Cor", vec!["Kernel/Core.c", "kernel/Core.c", "kernel/core.c"]),
        ("the typed case beyond ASCII", "École", vec!["École.txt", "école.txt"]),
    ] {
        assert_ranked(reason, query, &ranked);
    }
}

/// Each list is in the order in which its query ranks it.
#[test]
fn the_path_that_a_query_explains_best_ranks_first() {
    for (reason, query, ranked) in [
        (
            "letters across directories before letters in a name",
            "schcor",
            vec!["kernel/sched/core.c", "kernel/a/sch_red_core.c", "kernel/xschxcor.c"],
        ),
        (
            "few directories between the runs",
            "usbhub",
            vec!["usb/core/hub.c", "usb/a/core/hub.c", "a/onboard_usb_hub.c"],
        ),
        ("a whole stem before a longer one", "toolsgrep", vec!["tools/grep.ts", "tools/grep-record.ts"]),
        ("a whole directory before a longer one", "nvmecore", vec!["nvme/host/core.c", "nvmem/core.c"]),
        ("initials before other letters", "fsc", vec!["a/fs-scan-cache.ts", "a/fsync.c"]),
        ("a whole stem but for punctuation", "pagealloc", vec!["mm/page_alloc.c", "mm/x-pagealloc.c"]),
        ("a source before its test", "sched core", vec!["sched/core.c", "sched/test/core.c"]),
        ("unless the test was asked for", "test core", vec!["test/core.c", "text/core_test_a.c"]),
        ("a source before its declarations", "printk", vec!["a/printk.c", "a/printk.h"]),
        ("words in a directory and as the whole stem", "usb hub", vec!["usb/core/hub.c", "a/onboard_usb_hub.c"]),
        ("an abbreviated word", "kernel params", vec!["a/kernel-parameters.txt", "pxa/rxam/kernels"]),
        ("parts before a document's stem without punctuation", "usbxhci", vec!["usb/host/xhci.c", "docs/usb-xhci.rst"]),
        ("a source's stem without punctuation before parts", "usbxhci", vec!["a/usb-xhci.c", "usb/host/xhci.c"]),
        (
            "a header with its extension before names that hold the letters",
            "listh",
            vec!["a/list.h", "a/libmsrlisthelper.c"],
        ),
        ("the typed case before a shorter name", "ARCH", vec!["ARCHITECTURE.md", "a/archive.ts"]),
        ("a source before settings", "setup", vec!["setup.py", "setup.cfg"]),
        ("a source before its manual", "turbostat", vec!["a/turbostat.c", "a/turbostat.8"]),
        (
            "a typo before letters scattered in a long name",
            "swiotbl",
            vec!["a/swiotlb.c", "a/eswitch_offloads_termtbl.c"],
        ),
        ("vowels left out before other letters", "sndpcm", vec!["sound/core/pcm.c", "sxnxd/core/pcm.c"]),
        ("vowels left out before as many other letters", "xsnd", vec!["x/sound.c", "x/skrnd.c"]),
        ("letters in a stem before letters of an extension", "usbhts", vec!["usb/hub_tsx.c", "usb/hub.ts"]),
        ("a stem that was typed to its end", "usbhub", vec!["usb/hub.c", "usb/hub_.c"]),
        ("a directory between the parts that says nothing", "usbhub", vec!["usb/src/hub.c", "usb/old/hub.c"]),
        ("a file of that name before one for its directory", "usbhub", vec!["usb/hub.ts", "usb/hub/index.ts"]),
        ("initials of the last directories", "tp", vec!["tests/page.c", "a/tests/page.c"]),
        (
            "initials across src",
            "atp",
            vec!["alpha/tests/src/page.c", "alpha/tests/src/pagex.c", "alpha/tests/other/page.c"],
        ),
        ("two letters swapped in a part", "schedfiar", vec!["sched/fair.c", "sched/a/fiax_b.c"]),
        ("a letter missing in a directory", "memry core", vec!["memory/core.c", "a/core_memxy_abc.c"]),
        ("a word of the stem before one of the extension", "net conf", vec!["net/conf_x.c", "net/abc.conf"]),
        ("few letters left out", "pgalloc", vec!["a/page_alloc.c", "a/prgoalloc.c"]),
        ("all initials of a name", "bmme", vec!["a/buildMatchMemberExpression.ts", "b/management/mExportLater.ts"]),
        ("all initials of a path", "ksc", vec!["kernel/sched/core.c", "kernel/a/scs_rt.c", "kernel/sched/cpu_rt.c"]),
        (
            "initials across a directory that says nothing",
            "atp",
            vec!["alpha/tests/src/page.c", "alpha/tests/more/page.c"],
        ),
        ("initials in few letters", "ksc", vec!["kernel/sched/core.c", "kernel/sched/cputime.c"]),
        ("a typo in a part", "schedfiar", vec!["kernel/sched/fair.c", "kernel/sched/fairer.c", "a/schedif_at.c"]),
        ("a typo in a directory's part", "shcedfair", vec!["kernel/sched/fair.c", "kernel/sched/fairer.c"]),
        (
            "words with a typo in a directory",
            "bttrfs super",
            vec!["fs/btrfs/super.c", "fs/btrfs/superior.c", "a/b-trfs-supper.c"],
        ),
        ("a word with a typo in a near directory", "bttrfs super", vec!["fs/btrfs/super.c", "btrfs/fs/super.c"]),
        ("a word with a typo in a whole directory", "bttrfs super", vec!["fs/btrfs/super.c", "fs/btrfs-x/super.c"]),
        ("one typo before two", "bttrfs supper", vec!["fs/bttrfs/super.c", "fs/btrfs/super.c"]),
        ("a typo in the name, next to a directory", "net vertio", vec!["net/virtio.c", "net/virtio_x.c"]),
        (
            "next to other words, a typo before scattered letters",
            "vertio net",
            vec!["net/virtio_net.c", "net/v_4core_virtio.c"],
        ),
        ("a file for its directory", "codeframe", vec!["code-frame/src/index.ts", "code-frame/src/other.ts"]),
        ("a file before a directory", "usbhub", vec!["usb/hub.c", "usb/hub/"]),
        ("a file before a directory of that name", "hub", vec!["a/hub.c", "usb/hub/", "usb/hubs.c"]),
        ("a file of words before a directory of words", "ts enum", vec!["x-ts/src/enum.c", "ts/enum/"]),
        (
            "a file for its directory before a test",
            "traversescope",
            vec!["traverse/src/scope/index.ts", "traverse/test/scope.js"],
        ),
        ("a file for its directory before the directory", "usbhub", vec!["usb/hub/index.c", "usb/hub/"]),
        ("a source before data", "x86setup", vec!["arch/x86/kernel/setup.c", "arch/x86/boot/setup.ld"]),
        ("unless the data was asked for", "setup.json", vec!["a/setup.json", "a/setup.json.c"]),
        ("the typed punctuation of a stem", "page_alloc", vec!["a/page_alloc.c", "a/pagealloc.c"]),
        ("a word but for punctuation, next to others", "mm pagealloc", vec!["mm/page_alloc.c", "mm/pagealloc_more.c"]),
        ("the typed punctuation, next to others", "mm page-alloc", vec!["mm/page-alloc.c", "mm/page_alloc.c"]),
        ("a segment in a name before its extension", "plugins/ts", vec!["plugins/bits.c", "plugins/estree.ts"]),
        ("segments that end with a directory", "plugins/ts", vec!["plugins/types/index.ts", "plugins/estree.ts"]),
        ("the file for a directory", "a/plugins", vec!["a/plugins/index.ts", "a/plugins/other.ts"]),
        ("the typed case of words", "Ab Core", vec!["Ab/Core.c", "ab/Core.c", "ab/core.c"]),
        ("a source with typos in its directories", "genirq/msi", vec!["kernel/irq/msi.c", "kernel/irq/msi.h"]),
    ] {
        assert_ranked(reason, query, &ranked);
    }
}

/// Each list is in the order in which its query ranks it.
#[test]
fn small_differences_decide_among_similar_matches() {
    for (reason, query, ranked) in [
        ("one letter left before two", "cor", vec!["core.c", "cores.c"]),
        ("the letters after a leading dot are the stem", ".git", vec![".gitrc", ".gitignore"]),
        ("a beginning before the whole after punctuation", "init", vec!["initial.c", "_init.ts"]),
        (
            "a run from the beginning of a word before one from inside",
            "sced_core",
            vec!["sched_core.c", "shced_core.c"],
        ),
        ("the first digit of a number begins a word", "u2", vec!["usb2.c", "u32.c"]),
        ("a typo at the beginning of a longer name", "coer", vec!["cores.c", "x_core.c"]),
        ("few other letters, with a typo", "coer", vec!["x_core.c", "core_testing.c"]),
        ("a short extension, with a typo", "coer", vec!["core.conf", "core.config"]),
        ("a word begins where punctuation was typed", "f_smod", vec!["f/a/b/smodel.c", "fs_model.c"]),
        ("not where the next letter begins a word", "f_smod", vec!["f/a/b/smodel.c", "fsModel.c"]),
        ("letters of another segment after a separator", "core.c", vec!["core/a.c", "core.h"]),
        ("a source before one in a directory for tests", "core", vec!["net/core.c", "net-tests/core.c"]),
        ("initials of directories before letters of a stem", "atp", vec!["a/tests/page.c", "a/tps65218.c"]),
        (
            "initials in few letters before initials in few segments",
            "ksc",
            vec!["kernel/sched/core.c", "kernel/sched_coq.c"],
        ),
        ("an abbreviated word next to another of the name", "memry pool", vec!["pool_memory.c", "pool/memory.c"]),
        ("a file for its directory before a longer stem", "usb hub", vec!["usb/hub/index.c", "usb/hubs.c"]),
        ("next to other words, a short one has no typo", "ta the", vec!["the/match.c", "the/xtya.c"]),
        ("next to other words, one typo costs little", "kernel shced", vec!["kernel/sched/", "kernel/sc/hed.c"]),
        ("a typo in a part of three letters", "usbhxb", vec!["usb/hub.c", "usb/a/hub.c"]),
        ("few other letters, next to others", "foomatch ts", vec!["foo_match_abc.ts", "a_foo_match_xyz.ts"]),
        ("a segment that is an extension", ".x86/li", vec!["a.x86/list.c", "a.x86_64/list.c", "ax.c/x86/list.c"]),
    ] {
        assert_ranked(reason, query, &ranked);
    }
}

#[test]
fn a_stem_without_its_punctuation_is_as_good_as_one_that_has_none() {
    assert_eq!(score("pagealloc", "mm/page_alloc.c"), score("pagealloc", "drivers/net/core/pagealloc.c"));
}

fn assert_ranked(reason: &str, query: &str, ranked: &[&str]) {
    let scores: Vec<Option<u32>> = ranked.iter().map(|path| score(query, path)).collect();
    assert!(scores.iter().all(Option::is_some), "{reason}: {query} matches all of {ranked:?}: {scores:?}");
    assert!(scores.windows(2).all(|pair| pair[0] > pair[1]), "{reason}: {query} over {ranked:?} gave {scores:?}");
}

#[test]
fn preparing_a_query_can_be_stopped() {
    let paths: Vec<String> = (0..3000).map(|number| format!("d{number:04}/x")).collect();
    let mut index = Index::with_capacity(paths.len());
    for path in &paths {
        index.push(path.as_bytes(), 6, false);
    }
    let index = index.finish();
    for query in ["x", "d/x", "one two three d"] {
        let query = Query::parse(query);
        let asked = Cell::new(0);
        let count = || {
            asked.set(asked.get() + 1);
            Ok::<(), Infallible>(())
        };
        assert!(Search::new(&query, &index, &count).is_ok());
        // Each word visits the 3,001 directories twice.
        assert_eq!(asked.get(), query.words.len() * 2 * 3);
        for left in 0..asked.get() {
            let asked = Cell::new(0);
            let stop = || {
                asked.set(asked.get() + 1);
                if asked.get() > left { Err("stopped") } else { Ok(()) }
            };
            assert_eq!(Search::new(&query, &index, &stop).err(), Some("stopped"), "{query:?}");
            assert_eq!(asked.get(), left + 1, "at once");
        }
    }
}

#[test]
fn a_path_of_very_many_segments_ranks_as_any_other() {
    let segments = vec!["ab"; 1000];
    let (whole, abbreviated) = (segments.join("/"), vec!["a"; 1000].join("/"));
    let quality = |query: &str| score(query, &whole).expect("a match") % TIER_SPAN;
    assert!(quality(&whole) > 990 && quality(&abbreviated) > 850, "{} {}", quality(&whole), quality(&abbreviated));
}

#[test]
fn any_number_of_letters_is_marked() {
    let path = format!("a/{}é.c", "x_".repeat(70));
    assert_eq!(positions(&format!("{}é", "x".repeat(70)), &path).len(), 72);
    let repeated = "ab".repeat(40);
    assert_eq!(marked(&repeated, &format!("z/{}", "a-b_".repeat(40))), repeated);
}

#[test]
fn a_query_matches_or_does_not() {
    for (reason, query, path, matches) in [
        ("abbreviated segments", "ker/sch/cor", "kernel/sched/core.c", true),
        ("segments out of order", "sch/ker", "kernel/sched/core.c", false),
        ("letters without separators", "schedcore", "kernel/sched_core.c", true),
        ("segments do not share a name", "kern/core", "kernel_core.c", false),
        ("letters across segments", "usbcorehub", "drivers/usb/core/hub.c", true),
        ("letters far apart", "ab", "axxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxb", true),
        ("a separator typed otherwise", "sched-core", "sched_core.c", true),
        ("every word", "core zebra", "kernel/core.c", false),
        ("case does not matter", "CORE", "core.c", true),
        ("accents fold", "ÉCOLE", "école.txt", true),
        ("a trailing slash wants a directory", "sched/", "kernel/sched.c", false),
        ("and finds one", "sched/", "kernel/sched/", true),
        ("and what is in it", "sched/", "kernel/sched/core.c", true),
        ("and what is below it", "kernel/", "kernel/sched/core.c", true),
        ("also next to another word", "kernel/sched/ core", "kernel/sched/core.c", true),
        ("not by letters of the name", "sched/", "kernel/sc/hed.c", false),
        ("a leading ./ is ignored", "./core", "core.c", true),
        ("a query of punctuation matches nothing", "--", "--", false),
    ] {
        assert_eq!(as_typed(query, path), matches, "{reason}: {query} against {path}");
    }
}

#[test]
fn the_best_match_with_a_typo_is_one_with_a_typo() {
    assert_eq!(tier("neum", "enum"), Some(Tier::NameTypo as u32));
}

#[test]
fn typos_are_accepted() {
    for (reason, query, path, found) in [
        ("swapped", "shced", "kernel/sched.c", true),
        ("missed", "sced_core", "kernel/sched_core.c", true),
        ("wrong", "sxhed", "kernel/sched.c", true),
        ("too many", "schedd", "kernel/sched.c", true),
        ("the first", "xched", "kernel/sched.c", true),
        ("the last", "schex", "kernel/sched.c", true),
        ("in the middle of a name", "edulxr", "kernel/scheduler.c", true),
        ("separators left out", "schdecore", "kernel/sched_core.c", true),
        ("outside ASCII", "éééü", "kernel/éééx", true),
        ("two from nine letters on", "shced_croe", "kernel/sched_core.c", true),
        ("two in one word of several", "kernel shecd", "kernel/sched.c", true),
        ("two in a word of four letters are too many", "kernel ocer", "kernel/core.c", false),
        ("three in two words", "krenel shecd", "kernel/sched.c", false),
        ("only one below", "shcedcro", "kernel/sched_coq.c", false),
        ("none below four", "sxh", "kernel/sch.c", false),
        ("in a path", "kernel/shced/core.c", "kernel/sched/core.c", true),
        ("in abbreviated segments", "ker/shc/core", "kernel/sched/core.c", true),
        ("across segments", "usbcroehub", "drivers/usb/core/hub.c", true),
        ("in one word of several", "kernel shced", "kernel/sched.c", true),
        ("in a directory's name", "shced/", "kernel/sched/", true),
        ("which must be one", "shced/", "kernel/sched", false),
        ("by characters", "écale", "école.txt", true),
    ] {
        assert_eq!(score(query, path).is_some(), found, "{reason}: {query} against {path}");
    }
}

#[test]
fn positions_show_what_matched() {
    for (query, path, expected) in [
        ("shced", "kernel/sched.c", "sced"),
        ("sched_cxre", "kernel/sched_core.c", "schedcre"),
        ("usbcroehub", "drivers/usb/core/hub.c", "usbcoehub"),
        ("core", "core/score_core.c", "core"),
        ("schedcore", "kernel/sched_core.c", "schedcore"),
        ("ker/cor", "kernel/x/core.c", "kercor"),
        ("kernel/cor", "kernel/core.c", "kernel/cor"),
        ("sched core", "sched/core.c", "schedcore"),
        ("schedcore", "s/sched/core.c", "schedcore"),
        ("fsc", "fsx/fs-scan-cache.c", "fsc"),
        ("irqdd", "irq.md", "irqd"),
        ("b/v", "ab/v2.ts", "bv"),
    ] {
        assert_eq!(marked(query, path), expected, "{query} in {path}");
    }
    let in_name = positions("core", "core/score_core.c");
    assert_eq!(in_name, [11, 12, 13, 14], "the word in the base name, not the directory");
    assert_eq!(positions("schcor", "s/sched/core.c"), [2, 3, 4, 8, 9, 10], "the beginnings of words");
    assert_eq!(positions("btn", "button.tsx"), [0, 2, 5], "the first letters that follow");
    assert_eq!(positions("lib", "a/lib/x-lib/c.c"), [2, 3, 4], "a whole segment");
    assert_eq!(positions("écxle", "é/école"), [3, 4, 5, 7, 8], "whole characters");
}

/// `text` with one typo of the given kind.
fn with_typo(text: &str, at: usize, kind: usize) -> String {
    let (mut bytes, at) = (text.as_bytes().to_vec(), at % text.len());
    match kind {
        0 if at + 1 < bytes.len() => bytes.swap(at, at + 1),
        1 => drop(bytes.remove(at)),
        2 => bytes.insert(at, b'x'),
        _ => bytes[at] = b'x',
    }
    String::from_utf8(bytes).expect("ASCII")
}

proptest! {
    #[test]
    fn a_path_finds_itself_by_its_whole_name(path in "[a-z]{1,8}(/[a-z_.]{0,3}[a-z]{1,8}){0,4}") {
        prop_assert_eq!(tier(&path, &path), Some(Tier::Exact as u32));
    }

    #[test]
    fn a_name_is_found_with_a_typo(name in "[a-e]{4,12}", rest in "[._][a-e]{0,4}", at in 0_usize..12, kind in 0_usize..4) {
        let path = format!("dir/{name}{rest}");
        prop_assert!(score(&with_typo(&name, at, kind), &path).is_some());
    }

    #[test]
    fn a_path_is_found_with_a_typo(
        path in "[a-e]{3,6}/[a-e]{3,6}/[a-e]{3,6}",
        segment in 0_usize..3,
        at in 0_usize..6,
        kind in 0_usize..4,
    ) {
        let mut segments: Vec<String> = path.split('/').map(str::to_owned).collect();
        segments[segment] = with_typo(&segments[segment], at, kind);
        prop_assert!(score(&segments.join("/"), &path).is_some());
    }

    #[test]
    fn matches_with_typos_rank_below_all_others_except_scattered_ones(query in "[a-c]{4,6}", path in "[a-c]{1,6}(/[a-c]{1,6}){0,2}") {
        let (index, path) = index_of(&path);
        let query = Query::parse(&query);
        let search = search_for(&query, &index);
        let typos = [TypoSearch::in_names(&query, &search), TypoSearch::in_paths(&query, &search, &index)];
        let tier = |verdict| match verdict {
            Verdict::Score(score) => Some(score / TIER_SPAN),
            _ => None,
        };
        let typo_tiers = [Some(Tier::NameTypo as u32), Some(Tier::PathTypo as u32)];
        match tier(search.score(&index, 0, || path, 0)) {
            None => {
                for typos in typos.iter().flatten() {
                    let found = tier(typos.score(&search, &index, 0, || path));
                    prop_assert!(found.is_none() || typo_tiers.contains(&found), "{:?}", found);
                }
            }
            Some(typed) if typed == Tier::Scattered as u32 => prop_assert!(typo_tiers.iter().all(|&typo| typo > Some(typed))),
            Some(typed) => prop_assert!(typo_tiers.iter().all(|&typo| typo < Some(typed)), "{}", typed),
        }
    }

    #[test]
    fn a_floor_hides_only_what_is_below_it(
        query in "[a-cA ]{1,5}(/[a-c]{1,3})?",
        path in "[a-cA-C_.]{1,6}(/[a-cA-C_.]{1,6}){0,3}",
        floor in 0_u32..12_000,
    ) {
        let (index, path) = index_of(&path);
        let search = search_for(&Query::parse(&query), &index);
        match (search.score(&index, 0, || path, 0), search.score(&index, 0, || path, floor)) {
            (Verdict::Score(score), Verdict::Beaten) => prop_assert!(score < floor),
            (all, same) => prop_assert_eq!(all, same),
        }
    }

    #[test]
    fn a_query_that_narrows_another_matches_no_more(
        longer in "[a-cé/ ]{1,9}",
        shorter in "[a-cé/ ]{1,6}",
        path in "[a-cé_.]{1,6}(/[a-cé_.]{1,6}){0,3}/?",
    ) {
        let (long, short) = (Query::parse(&longer), Query::parse(&shorter));
        prop_assume!(!short.is_empty());
        if long.narrows(&short) && as_typed(&longer, &path) {
            prop_assert!(as_typed(&shorter, &path));
        }
        if long.narrows_with_typos(&short) && score(&longer, &path).is_some() {
            prop_assert!(score(&shorter, &path).is_some());
        }
    }

    #[test]
    fn positions_ascend_and_are_whole_characters(query in "[a-cé/ ]{1,9}", path in "[a-cA-Cé_.]{1,6}(/[a-cA-C_.é]{1,6}){0,3}") {
        let positions = positions(&query, &path);
        prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(positions.last().is_none_or(|&last| last < path.len()));
        for &at in &positions {
            let next = positions.contains(&(at + 1));
            prop_assert!(path.is_char_boundary(at) || positions.contains(&(at - 1)), "{} in {}", at, path);
            prop_assert!(path.is_char_boundary(at + 1) || next, "{} in {}", at, path);
        }
        prop_assert!(!positions.is_empty() || score(&query, &path).is_none());
    }
}
