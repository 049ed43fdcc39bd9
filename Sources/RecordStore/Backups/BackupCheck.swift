import Foundation
import LMDB

/// Reads a copy back: its pages without LMDB, which a damaged page would let crash, then its invariants through it.
struct BackupCheck {
  let url: URL

  init(_ url: URL) { self.url = url }

  /// Throws `damaged`, with the first thing that is wrong, and `inputOutput` where the device does not read. Leaves
  /// nothing in the directory.
  func run(progress: @escaping (UInt64, UInt64) -> Void = { _, _ in }) throws -> CopyHead {
    try checkPages(progress)
    let copy = try open()
    if let violation = try copy.integrityViolations().first { throw damaged(violation) }
    return try copy.read { snapshot throws in try CopyHead(snapshot) }
  }

  func checkPages(_ progress: @escaping (UInt64, UInt64) -> Void = { _, _ in }) throws {
    let survey = try StoreError.translating(store: url.path) {
      let survey = try DataFileSurvey.run(directory: url.path, includingStrays: false, progress: progress) { _, _, _ in
      }
      // A device that does not read says nothing of what lies there.
      if let failure = survey.readFailure { throw failure }
      return survey
    }
    if let flaw = survey.flaws.first { throw damaged(flaw) }
  }

  /// For reading, without a lock file: nobody writes to it.
  private func open() throws -> RecordStore {
    var configuration = StoreConfiguration(url: url, isReadOnly: true, createsIfMissing: false)
    configuration.isBackup = true
    configuration.unsafelyAllowsNetworkFileSystem = true
    return try RecordStore.open(configuration)
  }

  private func damaged(_ flaw: String) -> StoreError {
    StoreError(.damaged, "the copy at \(url.path) is damaged (\(flaw)): use another one")
  }
}

extension DataFileSurvey {
  /// The flaws of the pages, in sentences without an end.
  package var flaws: [String] {
    var flaws = damages.map {
      "page \($0.page) of \($0.table.map { "table \($0)" } ?? "the list of tables"): \($0.reason)"
    }
    if !hasTables { flaws.append("the list of tables cannot be read whole") }
    if !hasBothMetas { flaws.append("one of the two pages that name the last commits is destroyed") }
    if let commitFlaw { flaws.append(commitFlaw) }
    if !freeListIsWhole { flaws.append("the list of free pages cannot be read whole") }
    // A page that is damaged explains that entries are missing.
    for (name, count) in counts.sorted(by: { $0.key < $1.key })
    where count.found != count.expected && !damages.contains(where: { $0.table == name }) {
      flaws.append("table \(name) has \(count.found) entries and should have \(count.expected)")
    }
    return flaws
  }
}
