import Foundation
import RecordStore
import Synchronization

/// The parts of its folders that one run of a synchronisation has seen, so that it looks at each place once.
///
/// A run asks many questions of the same folders: what is to be copied, merged, kept. With a memory around it, every
/// answer is of the moment of the first question, and of what the run itself has written since. A file that another
/// tool brings meanwhile is seen by the next run. Large files are not kept.
///
/// Safe to use from any thread; it goes with the task's run.
final class FolderMemory: Sendable {
  /// Heads, markers and most manifests are smaller; of change sets a run reads those that are new, once.
  private static let maximumContentBytes = 256 << 10

  private struct State {
    var names: [String: [String]] = [:]
    var contents: [String: [UInt8]] = [:]
    var heads: [String: ReplicaHead] = [:]
    /// Nil where nothing is.
    var items: [String: FileItem?] = [:]
    var signatures: [String: FileSignature] = [:]
    var listings: [String: StreamListing] = [:]
  }

  @TaskLocal static var current: FolderMemory?

  private let state = Mutex(State())

  /// Runs with a memory, the one around the run or else a new one.
  static func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard current == nil else { return try body() }
    return try $current.withValue(FolderMemory(), operation: body)
  }

  func names(in folder: URL, _ list: () throws -> [String]) throws -> [String] {
    if let known = state.withLock({ $0.names[folder.path] }) { return known }
    let names = try list()
    state.withLock { $0.names[folder.path] = names }
    return names
  }

  func content(of file: URL, _ read: () throws -> [UInt8]?) throws -> [UInt8]? {
    if let known = state.withLock({ $0.contents[file.path] }) { return known }
    guard let bytes = try read() else { return nil }
    if bytes.count <= FolderMemory.maximumContentBytes {
      state.withLock { $0.contents[file.path] = bytes }
    }
    return bytes
  }

  /// A head as it was decoded, which in a family of hundreds takes longer than reading it.
  func head(at file: URL, _ decode: () throws -> ReplicaHead?) throws -> ReplicaHead? {
    if let known = state.withLock({ $0.heads[file.path] }) { return known }
    guard let head = try decode() else { return nil }
    state.withLock { $0.heads[file.path] = head }
    return head
  }

  func item(at place: URL, _ look: () throws -> FileItem?) throws -> FileItem? {
    if let signature = state.withLock({ $0.signatures[place.path] }) {
      return .file(byteCount: signature.byteCount)
    }
    if let known = state.withLock({ $0.items[place.path] }) { return known }
    let item = try look()
    state.withLock { $0.items[place.path] = .some(item) }
    return item
  }

  func signature(of file: URL, _ look: () -> FileSignature?) -> FileSignature? {
    if let known = state.withLock({ $0.signatures[file.path] }) { return known }
    guard let signature = look() else { return nil }
    state.withLock { $0.signatures[file.path] = signature }
    return signature
  }

  func listing(of stream: URL, _ list: () throws -> StreamListing) throws -> StreamListing {
    if let known = state.withLock({ $0.listings[stream.path] }) { return known }
    let listing = try list()
    state.withLock { $0.listings[stream.path] = listing }
    return listing
  }

  /// Forgets what was seen of a path and the names beside it, which has changed or is to be looked at anew.
  static func forget(_ place: URL) {
    guard let current else { return }
    let folder = place.deletingLastPathComponent().path
    current.state.withLock { state in
      state.names[folder] = nil
      state.listings[folder] = nil
      state.names[place.path] = nil
      state.contents[place.path] = nil
      state.heads[place.path] = nil
      state.items[folder] = nil
      state.items[place.path] = nil
      state.signatures[place.path] = nil
    }
  }
}
