import Foundation
import LMDB

/// The marks that tell a store's data file from any copy of it: its number in the file system, and when it came into
/// being.
///
/// A copy, a restored backup and a file moved to another file system are new files in this sense; a folder that is
/// moved or renamed within one file system is not. The device's number is left out, since it may change when a machine
/// starts. Copies of a whole file system (an image, a virtual machine) look the same and are found out in the exchange
/// folder alone.
struct StorePlace: Hashable, Sendable {
  /// The number of `data.mdb`.
  var inode: UInt64
  /// Milliseconds since 1970; 0 where the file system does not say.
  var createdAtMilliseconds: UInt64

  init(inode: UInt64, createdAtMilliseconds: UInt64) {
    self.inode = inode
    self.createdAtMilliseconds = createdAtMilliseconds
  }

  /// Where the store in this directory is now.
  init(ofStoreAt url: URL) throws {
    let file = try StoreError.translating(store: url.path) { try DataFileIdentity(directory: url.path) }
    inode = file.inode
    createdAtMilliseconds = file.createdAtMilliseconds
  }

  /// Whether this is where a store was noted to be. On a file system that numbers its files anew whenever it is mounted
  /// the time alone decides.
  func isSame(as noted: StorePlace, numbersLast: @autoclosure () throws -> Bool) rethrows -> Bool {
    try createdAtMilliseconds == noted.createdAtMilliseconds && (inode == noted.inode || !numbersLast())
  }
}

extension FileSystemKind {
  /// Whether a file keeps its number when the file system is mounted again.
  var numbersLast: Bool { isLocal && !["vfat", "msdos", "exfat", "ntfs", "ntfs3"].contains(name) }
}
