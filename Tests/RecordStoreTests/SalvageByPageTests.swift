import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// What comes back of a store that has lost one page, for each kind of page of each tree.
struct SalvageByPageTests {
  private static let pageBytes = 4096

  private enum Kind: String { case branch, leaf, longValue }

  private enum Outcome {
    /// Everything, history included.
    case whole
    /// Every record, and every once key.
    case allRecords
    /// Every record but those that are named, and the number of those that cannot be.
    case allButThoseTold
    /// Every record as it was before the last save.
    case allButLastSave
  }

  private func outcome(without place: Place) -> Outcome {
    switch (place.tree, place.kind) {
    case (PageCensus.metaPage, _): .allButLastSave
    case (_, .branch), (PageCensus.freeList, _), ("x", _), ("backrefs", _), ("claims", _), ("meta", _): .whole
    case ("history", _), ("once", _), ("attachments", _), (PageCensus.databaseList, _): .allRecords
    default: .allButThoseTold
    }
  }

  /// A kind of page of a tree; the trees of records are one, and those of indexes.
  private struct Place: Hashable, Comparable {
    let tree: String
    let kind: Kind

    static func < (left: Place, right: Place) -> Bool {
      (left.tree, left.kind.rawValue) < (right.tree, right.kind.rawValue)
    }
  }

  /// The pages of a file. Of a long value, only the first page has a header.
  private func pages(of patient: SalvagePatient) -> [Place: [Int]] {
    var found: [Place: [Int]] = [:]
    for (tree, pages) in patient.pages.sorted(by: { $0.key < $1.key }) {
      let name = tree.hasPrefix("e") || tree.hasPrefix("x") ? String(tree.prefix(1)) : tree
      for page in pages.map(Int.init).sorted() {
        let number = patient.bytes.number(at: page * Self.pageBytes, byteCount: 8)
        let flags = patient.bytes[page * Self.pageBytes + 10]
        let kind: Kind = number != page ? .longValue : flags == 1 ? .branch : flags == 2 ? .leaf : .longValue
        found[Place(tree: name, kind: kind), default: []].append(page)
      }
    }
    return found
  }

  @Test func `each kind of page of each tree takes no more along than it must, and all of that is told`() throws {
    var random = SeededGenerator.announced()
    let patient = try SalvagePatient(&random, rounds: 90)
    let places = pages(of: patient)
    for (place, pages) in places.sorted(by: { $0.key < $1.key }) {
      let page = random.pick(pages)
      var bytes = patient.bytes
      bytes.replaceSubrange(page * Self.pageBytes..<(page + 1) * Self.pageBytes, with: Data(count: Self.pageBytes))
      try patient.salvage(bytes) { store, report in
        let comment = "\(place.kind) \(page) of \(place.tree)"
        try expect(outcome(without: place), store, report, patient, comment)
      }
    }
    // The store is large enough to have them.
    for tree in ["e", "x", "hidden", "history", "once"] {
      for kind in [Kind.branch, .leaf] { #expect(places[Place(tree: tree, kind: kind)] != nil, "\(tree) \(kind)") }
    }
    #expect(places[Place(tree: "e", kind: .longValue)] != nil)
  }

  private func expect(
    _ outcome: Outcome, _ store: RecordStore, _ report: SalvageReport, _ patient: SalvagePatient, _ comment: String
  ) throws {
    let lost = try Set(patient.facts.keys).subtracting(patient.recordIDs(in: store))
    let told = report.lost.count + report.missing.values.reduce(0, +)
    switch outcome {
    case .whole:
      #expect(report.isWhole && report.lacksNothing, "\(comment): \(report)")
    case .allRecords:
      #expect(!report.isWhole && lost.isEmpty && told == 0, "\(comment): \(report)")
    case .allButThoseTold:
      #expect(!report.isWhole && !report.lacksNothing && !lost.isEmpty, "\(comment): \(report)")
      #expect(lost.count == told && lost.isSuperset(of: report.lost.compactMap(\.id)), "\(comment): \(report)")
    case .allButLastSave:
      #expect(report.lostSaves?.count == 1 && !report.lacksNothing, "\(comment): \(report)")
      return
    }
    #expect(report.isWhole || !report.flaws.isEmpty, "\(comment): \(report)")
    try patient.expectTruth(store, report, comment)
    for entry in patient.once {
      #expect(try store.read { try $0.runs(of: entry.key) } == entry.runs, "\(comment): \(entry.key.text)")
    }
  }
}
