import Observation
import SwiftData
import Testing

/// The schema as a value, as tools and tests of apps look at it.
@Suite struct SchemaTests {
  private let schema: Schema

  init() {
    // A class is described once a process, so its transformer must be there whichever test comes first.
    ValueTransformer.setValueTransformer(PaintTransformer(), forName: NSValueTransformerName("paint"))
    schema = Schema([Canvas.self, Cabinet.self, Match.self], version: Schema.Version(2, 1, 0))
  }

  @Test func `a schema lists its entities, their attributes and relationships`() throws {
    #expect(schema.entities.map(\.name).sorted() == ["Cabinet", "Canvas", "Match", "Sketch", "Team"])
    let canvas = try #require(schema.entity(for: Canvas.self))
    #expect(canvas === schema.entitiesByName["Canvas"])
    #expect(canvas.uniquenessConstraints == [["name"]])
    let name = try #require(canvas.attributesByName["name"])
    #expect(name.isUnique && name.isAttribute && !name.isRelationship && !name.isOptional && !name.isTransient)
    #expect(name.options == [.unique, .spotlight, .preserveValueOnDeletion])
    #expect(name.debugDescription == "name: String" && canvas.debugDescription.hasPrefix("Canvas: name, "))
    #expect(schema.debugDescription == "Schema \(schema.version): Cabinet, Canvas, Match, Sketch, Team")
    #expect(ModelConfiguration("a", isStoredInMemoryOnly: true).debugDescription == "a: in memory")
    #expect(canvas.attributesByName["image"]?.originalName == "picture")
    #expect(canvas.attributesByName["image"]?.isOptional == true)
    #expect(canvas.attributesByName["paint"]?.isTransformable == true)
    #expect(canvas.attributesByName["count"]?.isCodable == true)
    #expect(canvas.attributesByName["count"]?.defaultValue as? Int == 5)
    #expect(canvas.attributesByName["zoom"]?.isTransient == true)
    #expect(canvas.attributesByName["secret"]?.hashModifier == "v2")
    #expect(canvas.storedPropertiesByName["zoom"] == nil && canvas.storedPropertiesByName["name"] != nil)
    let sketches = try #require(canvas.relationshipsByName["sketches"])
    #expect(sketches.debugDescription.hasPrefix("sketches: Array<Sketch>"))
    #expect(sketches.destination == "Sketch" && sketches.inverseName == "canvas" && sketches.isRelationship)
    #expect(!sketches.isToOneRelationship && sketches.minimumModelCount == 1 && sketches.maximumModelCount == 2)
    #expect(sketches.keypath == \Canvas.sketches && sketches.inverseKeyPath == \Sketch.canvas)
    let team = try #require(schema.entity(for: Team.self))
    #expect(team.indices == [["name"], ["x", "y"]] && team.uniquenessConstraints == [["name", "city"]])
    #expect(Team.schemaMetadata.map(\.name).prefix(2) == ["name", "city"])
  }

  @Test func `a structure's members are attributes of a composite one`() throws {
    let cabinet = try #require(schema.entity(for: Cabinet.self))
    let place = try #require(cabinet.attributesByName["place"] as? Schema.CompositeAttribute)
    // Of the members behind an enumeration with associated values nothing is known where no value of it can be made.
    let turnedOff = ProcessInfo.processInfo.environment["TANDEM_FOREIGN_LAYOUTS"] ?? ""
    let count = turnedOff == "off" || turnedOff.contains("codingKeys") ? 5 : 7
    let names = ["name", "site", "fee", "opened", "contact", "grades", "inner"]
    #expect(place.properties.map(\.name) == Array(names.prefix(count)))
    #expect(place.properties.map(\.isOptional) == Array([false, true, false, false, false, false, true].prefix(count)))
    #expect(place.properties[2].valueType == Decimal.self && place.properties[1].valueType == URL?.self)
    #expect(cabinet.attributesByName["numbers"] is Schema.CompositeAttribute == false)
    #expect((cabinet.attributesByName["contact"] as? Schema.CompositeAttribute)?.properties.isEmpty == true)
  }

  @Test func `a schema is written, read again and made a container of`() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "schema-\(UUID().uuidString).json")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
    try schema.save(to: url)
    let read = try Schema.load(from: url)
    #expect(read == schema && read.hashValue == schema.hashValue)
    #expect(read.version == Schema.Version(2, 1, 0) && read.encodingVersion == Schema.schemaEncodingVersion)
    let team = try #require(read.entitiesByName["Team"])
    #expect(team.indices == [["name"], ["x", "y"]])
    #expect(team.properties.map(\.name) == schema.entitiesByName["Team"]?.properties.map(\.name))
    let count = try #require(read.entitiesByName["Canvas"]?.attributesByName["count"])
    #expect(count.isCodable && count.defaultValue as? Int == 5 && count.valueType == Int.self)
    #expect(read.entitiesByName["Cabinet"]?.attributesByName["place"] is Schema.CompositeAttribute)
    let sketches = try #require(read.entitiesByName["Canvas"]?.relationshipsByName["sketches"])
    #expect(sketches.maximumModelCount == 2 && sketches.inverseName == "canvas" && !sketches.isToOneRelationship)

    let small = try JSONDecoder().decode(Schema.self, from: try JSONEncoder().encode(Schema([Match.self])))
    let context = ModelContext(
      try ModelContainer(for: small, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
    context.insert(Match(home: Team(name: "a"), guest: nil))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Team>()) == 1)
    #expect(throws: CocoaError.self) { try Schema.load(from: url.appendingPathExtension("missing")) }
  }

  @Test func `a schema by hand`() {
    let kind = Schema.Attribute(.unique, originalName: "type")
    kind.name = "kind"
    kind.valueType = String.self
    let wheels = Schema.Attribute(name: "wheels", options: [.codable], valueType: Int.self, defaultValue: 4)
    let truck = Schema.Entity("Truck", properties: Schema.Attribute(name: "load", valueType: Double?.self))
    let vehicle = Schema.Entity("Vehicle", subentities: truck, properties: kind, wheels)
    let schema = Schema(vehicle, truck, version: Schema.Version(1, 2, 3))
    #expect(schema.entitiesByName["Truck"]?.superentity === vehicle && truck.superentityName == "Vehicle")
    #expect(vehicle.subentities == [truck])
    #expect(truck.inheritedPropertiesByName.keys.sorted() == ["kind", "wheels"])
    #expect(truck.attributesByName["load"]?.isOptional == true && wheels.defaultValue as? Int == 4)
    #expect(Schema().entities.isEmpty && Schema.Version(1, 2, 3) < Schema.Version(1, 10, 0))
  }

  @Test func `an object whose record is gone reads as its defaults`() throws {
    let container = try ModelContainer(
      for: Cabinet.self, Folder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let id = try PersistentIdentifier.identifier(
      for: "S", entityName: "Cabinet", primaryKey: "00000000000000000000000000000001")
    let gone = try #require(context.model(for: id) as? Cabinet)
    #expect(gone.isDeleted && gone.text == "Ґанок" && gone.contact == .phone(country: 380, number: "44"))
    #expect(gone.place == Cabinet().place && gone.grade == .good && gone.maybeBadge == Badge(rawValue: "tin"))
    #expect(gone.maybePlace == nil && gone.maybeContact == nil && gone.labels == ["x", "y", "z"])
    let folder = Folder(name: "kept")
    context.insert(folder)
    try context.save()
    context.delete(folder)
    try context.save()
    #expect(folder.isDeleted && folder.name == "kept" && folder.children?.isEmpty == true && folder.parent == nil)
    folder.name = "changed"
    folder.children = [Folder(name: "child")]
    #expect(folder.name == "changed" && !context.hasChanges)
  }

  @Test func `a nil is not taken for a missing value`() throws {
    let context = ModelContext(
      try ModelContainer(for: Cabinet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let cabinet = Cabinet()
    context.insert(cabinet)
    cabinet.maybeLabels = nil
    cabinet.maybeBadge = nil
    try context.save()
    #expect(cabinet.maybeLabels == nil && cabinet.maybeBadge == nil)
    let other = ModelContext(context.container)
    let again = try #require(other.model(for: cabinet.persistentModelID) as? Cabinet)
    #expect(again.maybeLabels == nil && again.maybeBadge == nil)
  }

  @Test func `computed properties take part in observation`() {
    let folder = Folder(name: "a")
    let changed = Changed()
    withObservationTracking {
      folder.access(keyPath: \.description)
    } onChange: {
      changed.value = true
    }
    folder.withMutation(keyPath: \.description) { folder.name = "b" }
    #expect(changed.value)
  }
}

// Written by the very thread that tests it.
private final class Changed: @unchecked Sendable {
  var value = false
}
