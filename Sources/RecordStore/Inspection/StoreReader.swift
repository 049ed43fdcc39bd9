import Foundation
import LMDB

/// A snapshot that another process holds, and whose pages no save can use again.
public struct StoreReader: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Nil for a process that cannot be seen from here, such as one in another container.
  public var processIdentifier: Int32?
  /// The name of the process's program; nil where the system does not tell it.
  public var processName: String?
  /// Whether the process stands still, by a signal or a debugger.
  public var isStopped: Bool
  /// How many commits the snapshot is behind the store's last one. The store's file grows with each of them.
  public var commitsBehind: UInt64

  /// Creates a reader from its parts.
  public init(processIdentifier: Int32?, processName: String?, isStopped: Bool, commitsBehind: UInt64) {
    self.processIdentifier = processIdentifier
    self.processName = processName
    self.isStopped = isStopped
    self.commitsBehind = commitsBehind
  }

  /// `process 4711 (widget), stopped, 2000 commits behind`.
  public var description: String {
    var text = processIdentifier.map { "process \($0)" } ?? "a process that cannot be seen from here"
    if let processName { text += " (\(processName))" }
    if isStopped { text += ", stopped" }
    return text + ", \(commitsBehind) \(commitsBehind == 1 ? "commit" : "commits") behind"
  }

  /// Whether the store suffers from it: the process stands still, or many commits were made meanwhile.
  public var isInTheWay: Bool { isStopped || commitsBehind >= StoreReader.manyCommits }

  private static let manyCommits: UInt64 = 1_000
}

extension RecordStore {
  /// The snapshots of other processes, those furthest behind first. Costs a walk over the reader table and some small
  /// files of the system's. Throws what an opening may throw.
  public func readers() throws -> [StoreReader] {
    let (slots, last) = try StoreError.translating(store: url.path) {
      (try core.environment.readers(), try core.environment.information().lastTransactionID)
    }
    return slots.compactMap { slot -> StoreReader? in
      guard let seen = slot.transactionID, slot.processID != getpid() else { return nil }
      return StoreReader(
        processIdentifier: slot.processID, processName: slot.processID.flatMap { StoreReader.name(of: $0) },
        isStopped: slot.processID.map { StoreReader.standsStill($0) } ?? false, commitsBehind: last - min(seen, last))
    }
    .sorted { $0.commitsBehind > $1.commitsBehind }
  }
}

// Linux tells of a process; other systems do not.
extension StoreReader {
  fileprivate static func name(of process: Int32) -> String? { SystemFile.lines(of: "/proc/\(process)/comm").first }

  /// The state is the third field, behind the name in parentheses: `T` stopped, `t` by a debugger.
  fileprivate static func standsStill(_ process: Int32) -> Bool {
    guard let line = SystemFile.lines(of: "/proc/\(process)/stat").first, let end = line.lastIndex(of: ")") else {
      return false
    }
    return line[line.index(after: end)...].drop { $0 == " " }.first.map { "Tt".contains($0) } ?? false
  }
}
