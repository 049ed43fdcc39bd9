package import Foundation
import LMDB

extension RecordStore {
  /// Puts a store that `build` makes in the place of one that nobody has open, or that is missing.
  ///
  /// `build` gets the configuration with another path, and lets go of the store before it returns. Readers of the
  /// former store's history start anew. If it throws, or the store is open somewhere, nothing has changed.
  /// Returns where the replaced store is kept.
  package static func replace(
    _ configuration: StoreConfiguration, keepingReplaced: Bool, with build: (StoreConfiguration) async throws -> Void
  ) async throws -> URL? {
    guard let url = (configuration.url?.standardizedFileURL).map(FileItem.behindLink) else {
      preconditionFailure("a store that is replaced has a place")
    }
    let succession = try StoreSuccession(of: url, configuration)
    let directory = try NewDirectory(for: url, mode: configuration.directoryMode)
    var unfinished = configuration
    unfinished.url = directory.url
    unfinished.createsIfMissing = true
    try await build(unfinished)
    try raiseNumbers(unfinished, after: succession.lastNumber)
    try waitUntilClosed(directory.url)
    return try succession.complete(with: directory, keepingReplaced: keepingReplaced)
  }

  private static func raiseNumbers(_ configuration: StoreConfiguration, after number: UInt64) throws {
    try RecordStore.open(configuration).goOn(after: number)
  }

  /// Gives history numbers above one: readers that know lower ones start anew.
  func goOn(after number: UInt64) throws {
    let path = url.path
    try write { transaction, layout throws in
      try HistoryRenumbering(layout, path: path).raise(by: number + 1, in: transaction)
      return ((), layout)
    }
  }

  /// The thread that writes may keep a store a moment longer than its last user.
  private static func waitUntilClosed(_ url: URL) throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while try StoreError.translating(store: url.path, { try Environment.whileUnused(at: url.path) { true } }) == nil {
      guard ContinuousClock.now < deadline else {
        throw StoreError(.busy, "the new store at \(url.path) is still open: let go of it before it gets its place")
      }
      sched_yield()
    }
  }
}
