import Foundation

/// The file of a store as it was at some moment: tells later whether the path still leads to it.
///
/// A process that has a store open goes on with it when the file is deleted, and would never hear of the one that
/// takes its place. While the file is open its number is not given to another, so the number is proof.
public struct StoreFile: Hashable, Sendable {
  private let path: String
  private let number: UInt64

  /// The file of the store at `store`; nil when there is none, or an empty one.
  init?(of store: URL) {
    path = store.appending(path: "data.mdb").path
    guard let found = Self.number(at: path) else { return nil }
    number = found
  }

  /// Whether the path still leads to the file.
  public var isInPlace: Bool { Self.number(at: path) == number }

  /// Returns when the file is deleted or replaced, or the task is cancelled. Looks twice a second.
  public func waitUntilGone() async throws {
    while isInPlace { try await Task.sleep(for: .milliseconds(500)) }
  }

  private static func number(at path: String) -> UInt64? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
    return UInt64(status.st_ino)
  }
}
