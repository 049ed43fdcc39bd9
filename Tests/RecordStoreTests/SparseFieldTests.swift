import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

/// Fields that concern few of the records: the others hold nothing of them.
struct SparseFieldTests {
  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Trip",
      attributes: [
        AttributeDefinition(name: "name", type: .string),
        AttributeDefinition(name: "deck", type: .int, isOptional: true, defaultValue: .int(3), isSparse: true),
        AttributeDefinition(name: "note", type: .string, isOptional: true),
        AttributeDefinition(name: "kind", type: .string, isOptional: true, isSparse: true),
      ],
      relationships: [RelationshipDefinition(name: "ship", destination: "Trip", isSparse: true)],
      indexes: [IndexDefinition("kind"), IndexDefinition("deck")])
  ])

  @Test(arguments: [false, true])
  func `a new record is given nothing of a sparse field that nobody set, and reads its default`(asDraft: Bool) throws {
    try withTemporaryStore(schema: Self.schema) { store in
      let entity = try store.read { try #require($0.catalogue.entity(named: "Trip")) }
      let ordinals = ["name", "deck", "note", "kind", "ship"].map { entity.field(named: $0)?.ordinal ?? -1 }
      let rows: [(RecordID, [FieldWrite])] = [
        (fixtureID(1), [FieldWrite(ordinals[0], .string("plain"))]),
        (fixtureID(2), [FieldWrite(ordinals[0], .string("cruise")), FieldWrite(ordinals[1], .int(9))]),
        (fixtureID(3), [FieldWrite(ordinals[0], .string("null")), FieldWrite(ordinals[1], .null)]),
      ]
      var work = LocalWork()
      for (id, fields) in rows {
        if asDraft {
          let isPlain = work.drafts.append(id, DraftLayout(entity), fields)
          #expect(isPlain)
        } else {
          work.changes.append(.insert(entity: entity.number, id: id, fields: fields))
        }
      }
      _ = try store.commit(SaveRequest(.save(work)))
      try store.read { snapshot in
        let images = try rows.map { try #require(try snapshot.record($0.0, of: entity.number)) }
        let written = images.map { image in ordinals.map { ordinal in image.withView { $0.isWritten(at: ordinal) } } }
        #expect(written[0] == [true, false, true, false, false])
        #expect(written[1] == [true, true, true, false, false] && written[2] == written[1])
        #expect(images.map { $0.value(of: entity.fields[ordinals[1]]) } == [.int(3), .int(9), .null])
        #expect(images[0].value(of: entity.fields[ordinals[3]]) == .null)
        let byDeck = RecordQuery(
          entity: entity.number, filter: .compare(FieldPath(ordinals[1]), .equal, .int(3)))
        #expect(try snapshot.identifiers(byDeck) == [fixtureID(1)])
      }
    }
  }

  @Test func `a description from before sparse fields is read, and one without them is written as before`() throws {
    let field = CatalogueField(ordinal: 0, name: "name", type: .string, isOptional: false)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(field), as: UTF8.self)
    #expect(!text.contains("parse"))
    #expect(try JSONDecoder().decode(CatalogueField.self, from: Data(text.utf8)) == field)
    var sparse = field
    sparse.isSparse = true
    #expect(try JSONDecoder().decode(CatalogueField.self, from: encoder.encode(sparse)) == sparse && sparse != field)
  }
}
