import Foundation
import Tandem
import Testing

/// The code in the comments of schemas.
struct SchemaExampleTests {
  @Test func `a schema says what its classes are`() throws {
    let schema = Schema([Trip.self])
    let trip: Schema.Entity? = schema.entity(for: Trip.self)
    for property in trip?.storedProperties ?? [] { print(property.name, property.valueType) }
    #expect(schema.entities.map(\.name) == ["Errand", "Traveler", "Trip"])
    let entity = try #require(trip)

    let code: Schema.Attribute? = entity.attributesByName["code"]
    let keepsCode = code?.options.contains(.preserveValueOnDeletion) ?? false
    #expect(keepsCode && code?.isUnique == true)

    let errands: Schema.Relationship? = entity.relationshipsByName["errands"]
    let goesAlong = errands?.deleteRule == .cascade && errands?.destination == "Errand"
    let hasOrder = errands?.options.contains(Schema.Relationship.Option.ordered) ?? false
    #expect(goesAlong && !hasOrder)

    func isToMany(_ property: any SchemaProperty) -> Bool { property.valueType is any RelationshipCollection.Type }
    let lists = entity.properties.filter(isToMany).map(\.name)
    #expect(lists == ["errands"])
  }

  @Test func `a schema is written by hand`() throws {
    struct Place: Codable { var city = "" }
    let place = Schema.CompositeAttribute(name: "place", valueType: Place.self)
    let city: Schema.Attribute? = place.properties.first { $0.name == "city" }
    let schema = Schema(Schema.Entity("Halt", properties: Schema.Attribute(name: "day", valueType: Date.self), place))
    #expect(city?.valueType == String.self)
    #expect(schema.entitiesByName["Halt"]?.properties.map(\.name) == ["day", "place"])
  }

  @Test func `what the macros declare is there as values`() {
    let unique = Schema.Unique<Trip>([\.code], [\.name, \.start])
    let index = Schema.Index<Trip>(.binary([\.start]), .binary([\.destination, \.nights]))
    let group = Schema.Group<Trip>(\.start, \.nights)
    #expect(unique.constraints.count == 2 && index.keyPaths.map(\.count) == [1, 2])
    #expect(group.properties == [\Trip.start, \Trip.nights])

    let properties: [Schema.PropertyMetadata] = Trip.schemaMetadata
    let withOptions = properties.filter { $0.metadata != nil }.map(\.name)
    #expect(withOptions == ["code", "errands"])
  }
}
