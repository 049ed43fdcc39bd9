import Foundation
import LMDB

/// How far scans are shared out among threads.
package struct ScanSharing: Hashable, Sendable {
  /// The number of threads, with the one that asks. Nil: ``ProcessorCores/shares``.
  package var threads: Int?
  /// A table is read in parts of so many rows, one of fewer than four parts by one thread. Waking a thread takes as
  /// long as looking at some hundred rows.
  package var rowsOfPart: Int

  package init(threads: Int? = nil, rowsOfPart: Int = 4_096) {
    self.threads = threads
    self.rowsOfPart = rowsOfPart
  }
}

/// A scan of one entity's table in parts, which all see the query's snapshot, by as many threads as are free.
///
/// The thread that asks takes parts, too, and waits at the end for others that are at work. Where others need the
/// cores, it would wait for its turn and for theirs, and scans alone.
struct ParallelScan {
  /// Each has some cost of its own.
  private static let mostParts = 64

  private let parts: [TreePart]
  private let threads: Int
  private let rows: Int

  /// Nil where one thread takes as long, and where LMDB has to be asked for the rows.
  init?(_ entity: CatalogueEntity, in source: QuerySource) throws {
    let table = source.records[entity.number]
    rows = try source.transaction.statistics(table).entries
    let count = min(rows / source.sharing.rowsOfPart, Self.mostParts)
    guard count >= 4 else { return nil }
    threads = source.sharing.threads ?? ProcessorCores.shares
    guard threads > 1, let parts = try TreePart.parts(count, of: table, in: source.transaction) else { return nil }
    self.parts = parts
  }

  /// The results of `body` for each part, in their order; nil where the table has more rows than the parts showed.
  ///
  /// - Parameter body: Called on several threads at the same time. What it changes it makes itself, and filters, too,
  ///   since threads would wait for each other to count the references of shared ones.
  func map<Value>(_ body: @escaping (inout TreePart) throws -> Value) throws -> [Value]? {
    let call = Unshared(body)
    let works = parts.map { part in
      let part = Unshared(part)
      return { @Sendable in
        var walk = part.value
        let outcome = Result { try call.value(&walk) }
        return Unshared((outcome, walk.count))
      }
    }
    let outcomes = SideWork.values(of: works, threads: threads).map(\.value)
    let values = try outcomes.map { try $0.0.get() }
    return outcomes.reduce(0) { $0 + $1.1 } == rows ? values : nil
  }

  /// `@unchecked Sendable` because a part and its outcome are used by one thread after another, and the closure, which
  /// several threads call, shares nothing among its calls that changes.
  private struct Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}

extension RecordFilter {
  /// Lists are made ready once for each part.
  private static let mostListed = 256

  /// Whether the record's own bytes decide, so that a thread needs nothing else.
  var isInRecord: Bool {
    switch self {
    case .all, .none, .ids: true
    case .compare(let path, _, _), .text(let path, _, _), .localizedContains(let path, _): path.isInRecord
    case .compareFields(let left, _, let right): left.isInRecord && right.isInRecord
    case .oneOf(let path, let values): path.isInRecord && values.count <= Self.mostListed
    case .anyRelated, .allRelated, .countRelated: false
    case .and(let terms), .or(let terms): terms.allSatisfy(\.isInRecord)
    case .not(let inner): inner.isInRecord
    }
  }
}

extension FieldPath {
  /// Whether the field is one of the record itself.
  var isInRecord: Bool { ordinals.count == 1 }
}
