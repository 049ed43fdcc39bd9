import Foundation

extension StoreError {
  /// The error for a failed system call on one of the store's own files. `remedy`: where nothing is at the path.
  init(
    systemError code: Int32, doing action: String, path: String,
    whereMissing remedy: String = "check the path, or create the store first"
  ) {
    let reason = String(cString: strerror(code))
    let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    func because(_ remedy: String) -> String { "cannot \(action) at \(path): \(reason); \(remedy)" }
    switch code {
    case ENOENT, ENOTDIR:
      self.init(.notFound, because(remedy), cause: cause)
    case EACCES, EPERM:
      self.init(.permissionDenied, because("run as the store's owner, or change its permissions"), cause: cause)
    case EROFS:
      self.init(.readOnlyFileSystem, because("mount it for writing, or open the store for reading only"), cause: cause)
    case ENOSPC, EDQUOT:
      self.init(.diskFull, because("free some space and try again"), cause: cause)
    default:
      self.init(.inputOutput, because(Self.remedy(for: code) ?? "check the disk and try again"), cause: cause)
    }
  }

  /// The remedy for a number of the system that tells of a limit or a name, and nothing of the device; nil for others.
  package static func remedy(for systemError: Int32) -> String? {
    switch systemError {
    case EMFILE: "close files, or raise the process's limit of open files (ulimit -n)"
    case ENFILE: "end some processes, or raise the system's limit of open files"
    case EFBIG: "raise the process's limit of file sizes (ulimit -f)"
    case ELOOP: "mend the symbolic links, which lead in a circle"
    case ENAMETOOLONG: "choose a shorter name"
    case EISDIR, ESPIPE: "take away what lies in the place of a file"
    default: nil
    }
  }

  /// The error for what Foundation was refused.
  package init(_ error: any Error, doing action: String, path: String) {
    self.init(systemError: SystemErrorNumber.number(of: error) ?? EIO, doing: action, path: path)
    cause = error
  }
}
