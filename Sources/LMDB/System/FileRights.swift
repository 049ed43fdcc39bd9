import CLMDB

/// Gives what is made beside an environment's data the permissions of the data.
///
/// A file gets the permission bits of the data file, whatever the process's mask, and its group; what root makes gets
/// its owner, too. Else the maker of a file could keep the others out: a member of the group whose own group is
/// another one, or a tool that was run as root once.
package enum FileRights {
  /// Opens a file for reading and writing, or makes it. Cost: one system call for a file that is there.
  ///
  /// - Parameters:
  ///   - mode: permission bits of a new file where there is no data file yet, or none is named.
  ///   - data: the path of the data file beside which it lies.
  /// - Returns: A descriptor that the caller closes, and whether the file was made; a negative one where that failed,
  ///   with the reason in the system's error number.
  package static func open(
    _ path: String, mode: UInt32, beside data: String?
  ) -> (descriptor: Int32, isNew: Bool) {
    let flags = O_RDWR | O_CLOEXEC
    let known = openFile(path, flags, 0)
    if known >= 0 || lastSystemError() != ENOENT { return (known, false) }
    let made = openFile(path, flags | O_CREAT | O_EXCL, mode_t(mode))
    if made >= 0 {
      // A file system without permissions refuses, which makes no difference there.
      _ = fchmod(made, mode_t(mode))
      if let data { take(made, from: data) }
      return (made, true)
    }
    // Another process was faster, or a symbolic link leads to nothing: what is made at its end stays as it is.
    return (lastSystemError() == EEXIST ? openFile(path, flags | O_CREAT, mode_t(mode)) : made, false)
  }

  /// Gives a new file the rights of another; nothing where there is no other.
  ///
  /// Only for what this process has made itself, without following a link: any writer to the folder could have
  /// laid a link there to somebody else's file.
  package static func take(_ descriptor: Int32, from path: String) {
    let other = openFile(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
    guard other >= 0 else { return }
    take(descriptor, from: other)
    close(other)
  }

  static func take(_ descriptor: Int32, from other: Int32) {
    takeOwners(descriptor, from: other)
    if let mode = mode(other) { _ = fchmod(descriptor, mode) }
  }

  /// Gives a new file or folder to whom the folder belongs in which it lies; the group may use it if it may write to
  /// that folder. As ``take(_:from:)``, only for what this process has made.
  package static func take(_ descriptor: Int32, fromFolder path: String) {
    let folder = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard folder >= 0 else { return }
    takeOwners(descriptor, from: folder)
    if let wanted = mode(folder), let own = mode(descriptor), wanted & 0o020 != 0 {
      // The group may do what the owner may.
      let shared = own | (own & 0o700) >> 3
      if shared != own { _ = fchmod(descriptor, shared) }
    }
    close(folder)
  }

  /// Root may give away; others may name a group to which they belong, and are refused else.
  private static func takeOwners(_ descriptor: Int32, from other: Int32) {
    var (own, wanted) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, fstat(other, &wanted) == 0,
      (own.st_uid, own.st_gid) != (wanted.st_uid, wanted.st_gid)
    else { return }
    _ = fchown(descriptor, geteuid() == 0 ? wanted.st_uid : own.st_uid, wanted.st_gid)
  }

  private static func mode(_ descriptor: Int32) -> mode_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
