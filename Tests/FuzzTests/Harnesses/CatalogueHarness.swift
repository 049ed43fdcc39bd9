import Foundation
import LMDB

@testable import RecordStore
@testable import RecordSync

extension Harness {
  /// The JSON of a catalogue: the store's own reader beside Foundation's, and what is made of a catalogue from afar.
  static let catalogue = Harness(
    "catalogue", maximumByteCount: 8192, errors: [StoreError.self, SyncError.self]
  ) { json in
    let quick = json.withRawBytes { CatalogueReader.read($0) }
    let author = Result { try SchemaDescription.decode(json, subject: "a fuzzed catalogue") }
    let catalogue = try json.withRawBytes { bytes throws in try CatalogueTable.decodeAnyhow(bytes) }
    try promise(quick == nil || quick == catalogue, "two readers of one catalogue disagree")
    if case .success(let author) = author { try CatalogueHarness.takeFromAfar(author) }
    let entry = try CatalogueTable.encode(catalogue)
    let own = try entry.withRawBytes { bytes throws in try CatalogueTable.decode(bytes) }
    try promise(try CatalogueTable.encode(own) == entry, "a catalogue that was written and read again is another")
    for entity in own.entities {
      _ = DraftLayout(entity)
      for index in entity.indexes { _ = IndexKey(index, of: entity) }
    }
  }
}

private enum CatalogueHarness {
  /// What a device does with the catalogue in another's file.
  static func takeFromAfar(_ author: Catalogue) throws {
    let mapping = CatalogueMapping(author: author, local: Catalogue())
    let local = Catalogue().adding(mapping.additions)
    let known = CatalogueMapping(author: author, local: local)
    if hasDistinctNames(author) {
      try promise(known.additions.isEmpty, "what was added from a catalogue is still not known: \(known.additions)")
    }
    for entity in author.entities {
      let facts = RecordFacts(
        entity: entity.number, id: RecordID(high: 0, low: 1), isInserted: true,
        registers: entity.fields.map { .init(ordinal: $0.ordinal, value: .null, stamp: .zero) })
      let translated = known.translate(facts)?.registers.map(\.ordinal) ?? []
      try promise(zip(translated, translated.dropFirst()).allSatisfy(<), "two fields of an author are one here")
    }
    try SchemaCheck(StoreSchema(declaredBy: author)).run()
  }

  private static func hasDistinctNames(_ catalogue: Catalogue) -> Bool {
    Set(catalogue.entities.map(\.name)).count == catalogue.entities.count
      && catalogue.entities.allSatisfy { Set($0.fields.map(\.name)).count == $0.fields.count }
  }
}
