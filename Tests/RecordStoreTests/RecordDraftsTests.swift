import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// New records on their way into the store, written by a commit's own value or by others before it.
struct RecordDraftsTests {
  private let id = fixtureID

  /// Writes drafts of cities with these names, each into a piece of memory that others share.
  private func written(
    _ names: [String], _ city: CatalogueEntity, _ ordinal: Int, _ memory: DraftMemory
  ) -> [(view: RecordView, piece: DraftMemory.Piece)] {
    names.compactMap { name in
      memory.write(DraftLayout(city)) { $0.write([FieldWrite(ordinal, .string(name))]) }
    }
  }

  @Test func `drafts of other memory are read and taken in any stretches, each with its own bytes`() throws {
    try withTemporaryStore { store throws in
      let fixture = try FixtureNames(store)
      let city = fixture.catalogue.entities[fixture.entity("City")]
      let layout = DraftLayout(city)
      let ordinal = fixture.ordinal("City", "name")
      let names = (0..<300).map { "city \($0) " + String(repeating: "n", count: $0 % 97) }
      let pieces = written(names, city, ordinal, DraftMemory())
      #expect(Set(pieces.map { ObjectIdentifier($0.piece) }).count > 3)
      var lent = RecordDrafts()
      for (number, draft) in pieces.enumerated() {
        let isTaken = lent.append(id(UInt64(number + 1)), layout, draft.view, in: draft.piece)
        #expect(isTaken)
      }
      var read: [String] = []
      lent.forEachDraft { id, entity, view, piece in
        #expect(entity == city.number && id == self.id(UInt64(read.count + 1)) && piece === pieces[read.count].piece)
        if case .string(let name) = view.storedValue(at: ordinal, type: .string) { read.append(name) }
      }
      #expect(read == names)
      var taken = RecordDrafts()
      let isKept = taken.keepMemory(of: lent)
      #expect(isKept)
      taken.append(200..<300, of: lent)
      let isTaken = taken.append(id(1_000), layout, [FieldWrite(ordinal, .string("own"))])
      #expect(isTaken)
      taken.append(0..<20, of: lent)
      lent = RecordDrafts()
      var work = LocalWork()
      work.drafts = taken
      #expect(try store.commit(SaveRequest(.save(work))).isPlain)
      try store.read { snapshot in
        for number in 0..<300 {
          let row = try snapshot.row(id(UInt64(number + 1)), of: city.number)?.image()
          let name = row?.withView { $0.storedValue(at: ordinal, type: .string) }
          #expect(name == (number < 20 || number >= 200 ? .string(names[number]) : nil))
        }
        #expect(try snapshot.row(id(1_000), of: city.number) != nil)
      }
    }
  }
}
