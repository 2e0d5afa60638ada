//! Downloads Debian packages with `apt-get` and unpacks each into a folder of its own. Needs no privileges: the list of
//! source packages, which many machines do not have, lies beside the downloads.

use super::recipe::Package;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages below a folder.
#[derive(Clone, Debug)]
pub struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// # Errors
    /// The folder cannot be created.
    pub fn new(folder: &Path) -> Result<Shelf, String> {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Shelf { folder })
    }

    /// The folder of a package, which has it once [`fetch`](Self::fetch) succeeds.
    pub fn of(&self, package: &Package) -> PathBuf {
        let kind = if package.is_source { "source" } else { "package" };
        self.folder.join(kind).join(&package.name)
    }

    /// A folder beside the packages.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Makes sure that a package is there.
    ///
    /// # Errors
    /// What `apt-get` and the tools that unpack say.
    pub fn fetch(&self, package: &Package) -> Result<(), String> {
        let folder = self.of(package);
        if folder.is_dir() {
            return Ok(());
        }
        let download = self.folder.join("download").join(&package.name);
        let _ = std::fs::remove_dir_all(&download);
        let unpacked = download.join("unpacked");
        std::fs::create_dir_all(&unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))?;
        if package.is_source {
            self.fetch_source(&package.name, &download, &unpacked)?;
        } else {
            run(Command::new("apt-get").args(["download", &package.name]).current_dir(&download))?;
            let archive = named(&download, |name| name.ends_with(".deb"))?;
            run(Command::new("dpkg-deb").arg("-x").arg(archive).arg(&unpacked))?;
        }
        if let Some(command) = &package.prepare {
            run(Command::new("sh").args(["-c", command]).current_dir(&unpacked))?;
        }
        let parent = folder.parent().expect("the folder lies in the one of its kind");
        std::fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        std::fs::rename(&unpacked, &folder).map_err(|error| format!("{}: {error}", folder.display()))
    }

    fn fetch_source(&self, name: &str, download: &Path, unpacked: &Path) -> Result<(), String> {
        let lists = self.folder.join("lists");
        let apt = || {
            let mut apt = Command::new("apt-get");
            let sources = format!("Dir::Etc::sourcelist={}", self.folder.join("sources.list").display());
            let lists = format!("Dir::State::lists={}", lists.display());
            apt.args(["-o", &sources, "-o", "Dir::Etc::sourceparts=-", "-o", &lists]);
            apt
        };
        if !lists.is_dir() {
            let partial = lists.join("partial");
            std::fs::create_dir_all(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
            std::fs::write(self.folder.join("sources.list"), source_list()?)
                .map_err(|error| error.to_string())?;
            if let Err(error) = run(apt().arg("update")) {
                let _ = std::fs::remove_dir_all(&lists);
                return Err(error);
            }
        }
        run(apt().args(["source", "--download-only", name]).current_dir(download))?;
        let archive = named(download, |name| name.contains(".orig.tar.") && !name.ends_with(".asc"))?;
        run(Command::new("tar").arg("-xf").arg(archive).arg("--strip-components=1").arg("-C").arg(unpacked))
    }
}

/// Where the sources of this machine's Debian are.
fn source_list() -> Result<String, String> {
    let release =
        std::fs::read_to_string("/etc/os-release").map_err(|error| format!("/etc/os-release: {error}"))?;
    let name = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let name = name.ok_or("/etc/os-release names no version of Debian")?.trim_matches('"');
    let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
    Ok(format!("deb-src [signed-by={key}] http://deb.debian.org/debian {name} main\n"))
}

/// The file in a folder whose name is as wanted.
fn named(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    let found = paths.find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&is_wanted));
    found.ok_or_else(|| format!("apt-get left no archive in {}", folder.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
