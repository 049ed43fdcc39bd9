public import RecordStore

/// The findings of an integrity check.
public struct IntegrityReport: Hashable, Sendable {
  /// Violated invariants in words; empty for a sound store.
  public var violations: [String]
  /// Visible records over all entities.
  public var recordCount: Int

  /// Whether no invariant is violated.
  public var isSound: Bool { violations.isEmpty }

  package init(violations: [String], recordCount: Int) {
    self.violations = violations
    self.recordCount = recordCount
  }

  /// Checks every invariant in this process. A store with damaged pages may end the process by a signal:
  /// check stores of unknown origin in a child process, as `tandem check` does.
  ///
  /// - Throws: `StoreError` where the store cannot be read at all.
  public init(checking store: RecordStore) throws { try self.init(checking: store) { _ in } }

  /// `reading` gets what is read next, for a parent process that wants to know where this one ended.
  package init(checking store: RecordStore, reading: @escaping (String) -> Void) throws {
    let flaws = try store.backupFlaws() + store.pageFlaws()
    reading("page flaws")
    violations = flaws + (try store.integrityViolations(reading: reading))
    recordCount = try store.read { snapshot in
      var count = 0
      for entity in snapshot.catalogue.entities {
        count += try snapshot.count(RecordQuery(entity: entity.number, includesSubentities: false))
      }
      return count
    }
  }

  package var json: JSON {
    ["sound": .bool(isSound), "records": .integer(recordCount), "violations": .array(violations.map { .string($0) })]
  }

  package init?(json: JSON) {
    guard case .array(let elements)? = json["violations"], let count = json["records"]?.integerValue(as: Int.self)
    else { return nil }
    self.init(violations: elements.compactMap(\.stringValue), recordCount: count)
  }
}
