import SwiftData
import Testing

/// When two schemas are one, and which version is newer.
struct SchemaEqualityTests {
  @Test func `what differs between schemas makes them unequal`() {
    func schema(_ change: (Schema.Attribute) -> Void = { _ in }, version: Int = 1) -> Schema {
      let attribute = Schema.Attribute(name: "a", valueType: String.self)
      change(attribute)
      return Schema(Schema.Entity("E", properties: attribute), version: Schema.Version(version, 0, 0))
    }
    #expect(schema() == schema())
    #expect(schema() != schema(version: 2))
    #expect(schema() != schema { $0.hashModifier = "v2" })
    #expect(schema() != schema { $0.originalName = "b" })
    #expect(schema() != schema { $0.options = [.unique] })
    #expect(schema() != schema { $0.valueType = Int.self })
    #expect(schema() != Schema(Schema.Entity("F", properties: Schema.Attribute(name: "a", valueType: String.self))))
  }

  @Test func `a schema of a later form is refused`() throws {
    let version = #"{"major":2,"minor":0,"patch":0}"#
    let text = #"{"encodingVersion":\#(version),"version":\#(version),"entities":[]}"#
    let refusal = #expect(throws: SwiftDataError.self) { try JSONDecoder().decode(Schema.self, from: Data(text.utf8)) }
    #expect(refusal?.code == .unknownSchema)
  }

  @Test func `versions are ordered by their numbers`() throws {
    let versions = [(1, 2, 3), (0, 9, 9), (1, 10, 0), (1, 2, 10)].map { Schema.Version($0.0, $0.1, $0.2) }
    #expect(versions.sorted().map { "\($0.major).\($0.minor).\($0.patch)" } == ["0.9.9", "1.2.3", "1.2.10", "1.10.0"])
    let decoded = try JSONDecoder().decode(Schema.Version.self, from: JSONEncoder().encode(versions[0]))
    #expect(decoded == versions[0])
    #expect(Set(versions + versions).count == 4)
  }
}
