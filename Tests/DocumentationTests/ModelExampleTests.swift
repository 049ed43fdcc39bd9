import Foundation
import Tandem
import Testing

@Model final class Voyage {
  @Attribute(.unique) var name: String
  var start: Date = Date.now
  @Relationship(deleteRule: .cascade, inverse: \Port.voyage) var ports: [Port] = []
  @Transient var isExpanded = false

  init(name: String) { self.name = name }
}

@Model final class Port {
  var voyage: Voyage?
  init() {}
}

@Model final class Ticket {
  #Group<Ticket>(\.isUsed, \.usedAt)  // a merge never takes the one without the other
  var isUsed = false
  var usedAt: Date?
  init() {}
}

private final class Reversed: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8.reversed()) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
  }
}

private struct NoteValues: Encodable {
  let persistentIdentifier: PersistentIdentifier
  let text: String

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try values.encode(persistentIdentifier, forKey: .persistentIdentifier)
    try values.encode(text, forKey: .modeledProperty("text"))
  }
}

/// The code in the comments of models and of what their classes know of themselves.
struct ModelExampleTests {
  @Test func `a class is a model`() async throws {
    try await withContainer(for: Voyage.self, Ticket.self) { container in
      let context = ModelContext(container)
      let voyage = Voyage(name: "North")
      voyage.ports = [Port(), Port()]
      context.insert(voyage)
      try context.save()
      context.delete(voyage)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Port>()) == 0)
    }
  }

  @Test func `an identifier finds its object again`() async throws {
    try await withContainer(for: Trip.self) { container in
      let context = ModelContext(container)
      context.insert(Trip(code: "A1"))
      try context.save()
      let trips = try context.fetch(FetchDescriptor<Trip>())

      var rows: [PersistentIdentifier.ID: Int] = [:]
      for (row, trip) in trips.enumerated() { rows[trip.persistentModelID.id] = row }
      let identifier: PersistentIdentifier = trips[0].persistentModelID
      let again = context.model(for: identifier)
      #expect(rows[identifier.id] == 0 && again === trips[0])
    }
  }

  @Test func `values of an object are read and written through its backing data`() throws {
    let values: any BackingData<Receipt> = ModelBackingData(for: Receipt.self)
    values.setValue(forKey: \.shop, to: "Bakery")
    let receipt = Receipt(backingData: values)
    #expect(receipt.shop == "Bakery" && values.getValue(forKey: \.shop) == "Bakery")
  }

  @Test func `a snapshot is written by the names of its properties`() throws {
    let identifier = try PersistentIdentifier.identifier(for: "notes", entityName: "Note", primaryKey: "1")
    let data = try JSONEncoder().encode(NoteValues(persistentIdentifier: identifier, text: "Milk"))
    let values = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(Set(values.keys) == ["persistentIdentifier", "text"])
  }

  @Test func `a transformer is registered by a name`() {
    let name: NSValueTransformerName = "reversed"
    ValueTransformer.setValueTransformer(Reversed(), forName: name)
    let option = Schema.Attribute.Option.transformable(by: name.rawValue)
    #expect(ValueTransformer.valueTransformerNames().contains(name) && Schema.Attribute(option).isTransformable)
  }
}
