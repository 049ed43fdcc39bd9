import Foundation
import LMDB

/// Writes files of a few bytes: the identity, a backup's manifest, the change notice.
enum SmallFile {
  /// Writes all bytes at the beginning of a file. Returns nil, or the system's number for what kept them from it: one
  /// call takes so few bytes whole, so a device that takes less is full.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withRawBytes { write($0, to: descriptor) }
  }

  static func write(_ bytes: RawBytes, to descriptor: Int32) -> Int32? {
    let count = pwrite(descriptor, bytes.start, bytes.count, 0)
    if count < 0 { return errno }
    return count == bytes.count ? nil : ENOSPC
  }

  /// As ``write(_:to:)``, and flushes the file to the device.
  static func writeDurably(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    if let failure = write(bytes, to: descriptor) { return failure }
    return fsync(descriptor) == 0 ? nil : errno
  }
}
