import Foundation
import RecordStore
import Testing

@testable import Tandem

@Model private final class Parcel {
  #Group<Parcel>(\.isDelivered, \.deliveredAt, \.receiver)
  @Attribute(.unique) var number: Int
  var isDelivered = false
  var deliveredAt: Date?
  var receiver: String?
  var note = ""
  init(number: Int) { self.number = number }
}

@Suite struct GroupTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func `a declared group stands in the store's own description of itself`() throws {
    let container = try container()
    let entity = try #require(try container.core.stores[0].store.read { $0.catalogue.entity(named: "Parcel") })
    let names = entity.fieldGroups.map { $0.map { entity.fields[$0].name } }
    #expect(names == [["isDelivered", "deliveredAt", "receiver"]])
  }

  @Test func `setting one property of a group writes the whole group under one stamp, and no other property`() throws {
    let container = try container()
    let context = ModelContext(container)
    let parcel = Parcel(number: 7)
    context.insert(parcel)
    try context.save()
    parcel.receiver = "Ines"
    try context.save()

    let store = container.core.stores[0].store
    let stamps = try store.read { snapshot -> [String: Stamp] in
      let entity = try #require(snapshot.catalogue.entity(named: "Parcel"))
      let facts = try #require(try snapshot.facts(parcel._$storage.recordID, of: entity.number))
      return Dictionary(
        uniqueKeysWithValues: facts.registers.map { (entity.fields[$0.ordinal].name, $0.stamp) })
    }
    let group = Set(["isDelivered", "deliveredAt", "receiver"].compactMap { stamps[$0] })
    #expect(group.count == 1)
    #expect(try #require(stamps["note"]) < #require(group.first))
  }
}
