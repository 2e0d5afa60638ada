//! The page in a real browser: keyboard, pointer, a long execution, paper.

use crate::browser::Browser;
use crate::files::TWO;
use crate::run::Sandbox;
use serde_json::json;

/// Two threads, one of which takes 5,000 steps before it races with the other.
fn long() -> String {
    let loads = "  r = load.rlx.i32 y\n".repeat(5000);
    format!(
        "global x: i32 = 0\nglobal y: i32 = 0\nfn writer() {{\n  store.i32 x, 1\n  store.rlx.i32 y, 1\n  return\n}}\n\
         fn reader() {{\n{loads}  v = load.i32 x\n  return\n}}\nthreads writer(), reader()\n"
    )
}

/// The page of a program with violations; `None` if there is no browser.
fn open(sandbox: &Sandbox, args: &str) -> Option<Browser> {
    let run = sandbox.run(&format!("check --jobs 1 --report page.html {args} p.vm"));
    assert_eq!(run.exit, Some(1), "{run:?}");
    Browser::open(&sandbox.path().join("page.html"), (1400, 800))
}

/// Keeps a picture of the page where the environment asks for pictures.
fn keep_picture(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("ATROPOS_SCREENSHOTS") else { return };
    let taken = browser.call("Page.captureScreenshot", json!({}));
    let text = taken["data"].as_str().expect("a picture").to_string();
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.base64")), text)
        .expect("the folder exists");
}

#[test]
fn the_keyboard_steps_through_an_execution() {
    let sandbox = Sandbox::new().with("p.vm", TWO);
    let Some(mut browser) = open(&sandbox, "") else { return };
    assert_eq!(browser.text("#headline .badge"), "race");
    assert!(browser.text(".row.chosen").contains("x"), "the last guilty step is chosen first");
    browser.press("Home");
    let first = browser.text(".row.chosen");
    browser.press("ArrowDown");
    let second = browser.text(".row.chosen");
    assert_ne!(first, second);
    browser.press("k");
    assert_eq!(browser.text(".row.chosen"), first);
    browser.press("End");
    let line = browser.text("#source .here");
    assert!(line.contains("load.i32 x") || line.contains("store.i32 x"), "{line}");
    assert!(browser.text("#step").contains("R(") || browser.text("#step").contains("W("));
    browser.press("x");
    assert_eq!(browser.count(".row.chosen.guilty"), 1);
    browser.press("ArrowLeft");
    assert_eq!(browser.value("document.querySelector('.row.chosen').style.left").as_str().unwrap(), "44px");
    browser.press("n");
    browser.press("?");
    assert_eq!(browser.value("document.querySelector('#help').open"), true);
    browser.press("Escape");
    assert_eq!(browser.value("document.querySelector('#help').open"), false);
    keep_picture(&mut browser, "race");
    browser.was_quiet();
}

#[test]
fn edges_are_switched_on_and_off() {
    let orders = TWO.replace("store.rlx", "store.rel").replace("load.rlx", "load.acq");
    let sandbox = Sandbox::new().with("p.vm", &orders.replace("  v = load.i32 x\n", ""));
    let Some(mut browser) = open(&sandbox, "") else { return };
    for kind in ["rf", "sw"] {
        let selector = format!("#edges path[data-kind={kind}]");
        let shown = browser.count(&selector);
        assert!(shown > 0, "{kind}");
        browser.click(&format!("[data-edge={kind}]"));
        assert_eq!(browser.count(&selector), 0, "{kind}");
        browser.press(if kind == "rf" { "1" } else { "4" });
        assert_eq!(browser.count(&selector), shown, "{kind}");
    }
    browser.press("Home");
    browser.press("5");
    assert_eq!(browser.value("document.querySelector('[data-edge=hb]').ariaPressed"), "true");
    browser.press("ArrowDown");
    assert!(browser.count("#edges path[data-kind=hb]") > 0, "where other threads are ordered with this step");
    browser.was_quiet();
}

#[test]
fn the_pointer_chooses_steps_lines_and_violations() {
    let sandbox = Sandbox::new().with("p.vm", TWO);
    let Some(mut browser) = open(&sandbox, "--keep-going") else { return };
    assert!(browser.count("#findings button") >= 2);
    browser.click("#findings button:nth-child(2)");
    let second = browser.text("#headline h1");
    browser.press("v");
    assert_ne!(browser.text("#headline h1"), second);
    browser.click(".row");
    assert_eq!(browser.value("document.querySelector('.row.chosen').dataset.row"), "0");
    browser.click("#source .used");
    assert_eq!(browser.count("#source .here.used"), 1);
    assert!(browser.count("#state tr") > 0);
    browser.click("#notes a.event");
    let named = browser.text("#notes a.event");
    assert!(browser.text("#step").starts_with(&named), "{named}: {}", browser.text("#step"));
    browser.hover(".row:not(.chosen)");
    assert_eq!(browser.count("#source .over"), 1, "the line of the step under the pointer");
    let theme = "document.documentElement.classList.contains('dark')";
    let before = browser.value(theme);
    browser.press("t");
    assert_ne!(browser.value(theme), before);
    browser.was_quiet();
}

#[test]
fn five_thousand_steps_are_no_burden() {
    let sandbox = Sandbox::new().with("p.vm", &long());
    let Some(mut browser) = open(&sandbox, "") else { return };
    browser.press("e");
    assert!(
        browser
            .value("JSON.parse(document.getElementById('data').textContent).findings[0].all.length")
            .as_u64()
            > Some(5000)
    );
    assert!(browser.text("#toolbar").contains("5002 of 5002"), "{}", browser.text("#toolbar"));
    assert!(browser.count(".row") < 200, "only what is in view is in the document");
    assert!(browser.count("#source .l") < 1000, "the same for the source");
    browser.press("Home");
    let first = browser.text(".row.chosen");
    browser.press("End");
    assert_ne!(browser.text(".row.chosen"), first);
    for _ in 0..20 {
        browser.press("PageUp");
    }
    assert_eq!(browser.count(".row.chosen"), 1);
    assert_eq!(browser.count("#source .here"), 1, "its line is there");
    browser.value("dispatchEvent(new Event('beforeprint'))");
    assert!(browser.count("#source .l") > 5000, "paper has everything");
    println!(
        "loaded after {} ms",
        browser.value("Math.round(performance.getEntriesByType('navigation')[0].duration)")
    );
    browser.was_quiet();
}

#[test]
fn the_page_prints_and_fits_a_telephone() {
    let sandbox = Sandbox::new().with("p.vm", TWO);
    let Some(mut browser) = open(&sandbox, "") else { return };
    let printed = browser.call("Page.printToPDF", json!({}));
    assert!(printed["data"].as_str().unwrap().len() > 10_000);
    let narrow = json!({ "width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": true });
    browser.call("Emulation.setDeviceMetricsOverride", narrow);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 390"), true);
    assert!(browser.count(".row") > 0);
    browser.was_quiet();
}
