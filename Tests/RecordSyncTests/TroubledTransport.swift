import Foundation
import Synchronization

@testable import RecordSync

/// A folder as a transport that counts its calls, and makes the trouble that a test asks for.
final class TroubledTransport: ExchangeTransport {
  struct Trouble: Sendable {
    /// Paths that are not listed.
    var hidden: @Sendable (String) -> Bool = { _ in false }
    /// Calls that move so many files and then fail.
    var failing: [String: Int] = [:]
    /// Calls that move so many files and are then cancelled.
    var cancelled: [String: Int] = [:]
    /// Paths that cannot be moved: a call moves those before, and fails.
    var refused: @Sendable (String) -> Bool = { _ in false }
    /// Whether such a call is cancelled instead.
    var isCancelling = false
    /// Paths that are moved before the others, as by a tool that has an order of its own; but for markers.
    var first: @Sendable (String) -> Bool = { _ in false }
  }

  let folder: URL
  private let inner: FolderTransport
  private let made = Mutex<[String]>([])
  /// The paths of the calls, since one last asked.
  private let asked = Mutex<[String]>([])
  let trouble = Mutex(Trouble())

  init(_ folder: URL) { (self.folder, inner) = (folder, FolderTransport(folder)) }

  var name: String { "shelf:books" }
  /// The calls since one last asked.
  var calls: [String] {
    made.withLock { made in
      defer { made = [] }
      return made
    }
  }
  var paths: [String] {
    asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
  }
  var files: [String] {
    get async throws { try await inner.list()?.map(\.path).sorted() ?? [] }
  }

  func list() async throws -> [TransportFile]? {
    try await call("list", []) { _ in }
    let hidden = trouble.withLock { $0.hidden }
    return try await inner.list()?.filter { !hidden($0.path) }
  }

  func get(_ paths: [String], into folder: URL) async throws {
    try await call("get", paths) { try await self.inner.get($0, into: folder) }
  }

  func put(_ paths: [String], from folder: URL) async throws {
    try await call("put", paths) { try await self.inner.put($0, from: folder) }
  }

  func remove(_ paths: [String]) async throws {
    try await call("remove", paths) { try await self.inner.remove($0) }
  }

  private func call(_ name: String, _ paths: [String], _ body: ([String]) async throws -> Void) async throws {
    made.withLock { $0.append(name) }
    asked.withLock { $0 += paths }
    let trouble = trouble.withLock { $0 }
    let early = paths.filter { $0.hasSuffix("/STORE") || trouble.first($0) }
    let paths = early + paths.filter { !early.contains($0) }
    if let cancelled = trouble.cancelled[name] {
      try await body(Array(paths.prefix(cancelled)))
      throw CancellationError()
    }
    guard let count = trouble.failing[name] ?? paths.firstIndex(where: trouble.refused) else {
      return try await body(paths)
    }
    try await body(Array(paths.prefix(count)))
    if trouble.isCancelling { throw CancellationError() }
    throw SyncError(.transportFailed, "cannot \(name) at \(self.name): it is broken on purpose; mend it")
  }
}
