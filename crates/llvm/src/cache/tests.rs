//! What may be kept, what is found again, and when the compiler is asked.

use super::*;
use std::cell::RefCell;
use std::time::Duration;

#[test]
fn rules_name_files_with_any_letters() {
    let rule = "a.o: a.c \\\n  my\\ header.h /dev/stdin 1\\#2.h a$$b.h \\\n  back\\slash.h\n";
    let expected = ["a.c", "my header.h", "1#2.h", "a$b.h", "back\\slash.h"].map(PathBuf::from);
    assert_eq!(files(rule), expected);
    assert_eq!(files("nothing"), Vec::<PathBuf>::new());
}

#[test]
fn flags_that_may_read_or_write_other_files_are_not_plain() {
    let check = |flags: &str| are_plain(&flags.split(' ').map(String::from).collect::<Vec<_>>());
    for plain in ["-O2", "-I include -DX=1 -Wall", "-std=c++20 -fno-rtti -mcx16", "-D -fplugin=x"] {
        assert!(check(plain), "{plain}");
    }
    for other in
        ["-fmodules", "-include-pch x", "-Wp,-MD,x", "@flags", "b.c", "-mllvm x", "--config x", "-O2 -v"]
    {
        assert!(!check(other), "{other}");
    }
}

#[test]
fn the_oldest_files_are_deleted() {
    let all = std::env::temp_dir().join(format!("atropos-cache-{}", std::process::id()));
    let (old, new) = (all.join("old"), all.join("new"));
    for (unit, age) in [(&old, 20), (&new, 10)] {
        fs::create_dir_all(unit).unwrap();
        let file = fs::File::create(unit.join("a.ll")).unwrap();
        file.set_len(100).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    shrink(&all, 200).unwrap();
    assert!(old.exists() && new.exists());
    shrink(&all, 199).unwrap();
    assert!(!old.exists() && new.exists());
    fs::remove_dir_all(&all).unwrap();
}

/// A folder with a source, headers, and a compiler that knows only how to list them.
struct Setting {
    root: PathBuf,
    runs: RefCell<Vec<String>>,
}

impl Setting {
    fn new() -> Setting {
        let root = std::env::temp_dir().join(format!("atropos-setting-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let setting = Setting { root, runs: RefCell::default() };
        setting.write("src/p.c", "#include <a/h.h>\n#if __has_include(<b/c.h>)\n#endif\n#include \"q.h\"\n");
        setting.write("second/a/h.h", "");
        setting.write("second/q.h", "");
        fs::create_dir_all(setting.root.join("second/b")).unwrap();
        setting
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, more: &[&OsStr]) -> Result<Output> {
        let words: Vec<String> = more.iter().map(|word| word.display().to_string()).collect();
        let root = self.root.display();
        let rule = format!("p.o: {root}/src/p.c {root}/second/a/h.h {root}/second/q.h\n");
        if let [_, _, path] = &words[..] {
            fs::write(path, &rule)?;
        }
        self.runs.borrow_mut().push(words[0].clone());
        let log = format!(
            "ignoring nonexistent directory \"{root}/first\"\n#include <...> search starts here:\n {root}/second\n\
             End of search list.\n"
        );
        let (stdout, stderr) = if words[0] == "-M" { (rule, log) } else { ("code".into(), String::new()) };
        Ok(Output { status: ExitStatus::default(), stdout: stdout.into(), stderr: stderr.into() })
    }

    /// What the compiler is asked when the source is compiled.
    fn compile(&self) -> String {
        // What has changed just now is not kept.
        std::thread::sleep(Duration::from_millis(60));
        let clang = std::env::current_exe().unwrap();
        let file = self.root.join("src/p.c");
        let compilation =
            Compilation { clang: &clang, args: &[], flags: &[], file: &file, input: "", temporary: None };
        let output = compile(&self.root.join("cache"), &compilation, &|more| self.run(more)).unwrap();
        assert_eq!(output.stdout, b"code");
        self.runs.borrow_mut().drain(..).collect::<Vec<_>>().join(" ")
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[test]
fn the_compiler_is_not_asked_while_nothing_changes_that_it_looks_at() {
    let setting = Setting::new();
    assert_eq!(setting.compile(), "-MD");
    for _ in 0..2 {
        assert_eq!(setting.compile(), "-M", "folders have changed just now");
        assert_eq!(setting.compile(), "");
        assert_eq!(setting.compile(), "");
        setting.write("second/b/c.h", "");
        fs::remove_file(setting.root.join("second/b/c.h")).unwrap();
    }
    assert_eq!(setting.compile(), "-M");
    for (name, what) in [
        ("second/b/c.h", "a header that was asked for"),
        ("first/a/h.h", "a header that hides another one, in a new folder of the search path"),
        ("src/q.h", "a header beside the source"),
        ("src/a/x.h", "a new folder beside the source"),
        ("second/a/h.h", "a header as it was, but written again"),
    ] {
        assert_eq!(setting.compile(), "", "{what}");
        setting.write(name, "");
        assert_eq!(setting.compile(), "-M", "{what}");
    }
    setting.write("elsewhere/x.h", "");
    assert_eq!(setting.compile(), "", "another folder");
    setting.write("second/q.h", "#define Q\n");
    assert_eq!(setting.compile(), "-M -MD", "another text");
}
