import Foundation
import Synchronization
import Testing

@testable import Tandem

private let evaluations = Mutex(0)

private func evaluated<Value>(_ value: Value) -> Value {
  evaluations.withLock { $0 += 1 }
  return value
}

private enum Color: String, Codable { case red, green }

@Model
private class Shape {
  #Unique<Shape>([\.name], [\.name, \.count])
  #Index<Shape>([\.count], [\.name, \.count])
  var name: String
  var count = 1
  var tags = [String]()
  private(set) var color: Color = .red
  var end: Date?
  var description: String
  var `default`: Int = evaluated(3)
  @Relationship(deleteRule: .cascade, inverse: \Corner.shape) var corners: [Corner] = []
  @Transient var isOpen = true
  var total: Int { count + `default` }
  static let shared = 3

  /// Properties with and without defaults in any order.
  init(name: String, count: Int, description: String) {
    self.count = count
    self.name = name
    self.description = description
    self.count += 1
  }

  init(name: String) {
    self.name = name
    description = name
  }
}

@Model
private final class Corner {
  var shape: Shape?
  var angle: Double?
  init() {}
}

extension Shape {
  @Model
  fileprivate final class Nested {
    var value: Int
    init(value: Int) { self.value = value }
  }
}

@Suite(.serialized) struct ModelMacroTests {
  @Test func `a new object has its defaults, and what its initialiser set`() {
    let shape = Shape(name: "a", count: 4, description: "d")
    #expect(shape.name == "a")
    #expect(shape.count == 5)
    #expect(shape.tags == [])
    #expect(shape.color == .red)
    #expect(shape.end == nil)
    #expect(shape.description == "d")
    #expect(shape.default == 3)
    #expect(shape.total == 8)
    #expect(shape.isOpen)
    #expect(Shape(name: "b").count == 1)
    #expect(Shape.Nested(value: 2).value == 2)
  }

  @Test func `defaults are evaluated once where an object is made, and not where one is fetched`() {
    let before = evaluations.withLock { $0 }
    let shape = Shape(name: "a")
    #expect(evaluations.withLock { $0 } == before + 1)
    // As the context does: the storage is announced first.
    let fetched = Adoption.make(Shape.self, around: shape._$storage)
    #expect(fetched.default == 3)
    #expect(evaluations.withLock { $0 } == before + 1)
  }

  @Test func `the schema lists the stored properties in order, with their options`() {
    let metadata = Shape.schemaMetadata
    #expect(
      metadata.map(\.name)
        == ["name", "count", "tags", "color", "end", "description", "default", "corners"])
    #expect(metadata[1].keypath == \Shape.count)
    #expect(metadata[1].defaultValue as? Int == 1)
    #expect(metadata[4].defaultValue == nil)
    #expect((metadata[7].metadata as? Schema.Relationship)?.deleteRule == .cascade)
    #expect(Shape._$uniqueness == [[\Shape.name], [\Shape.name, \Shape.count]])
    #expect(Shape._$index == [[\Shape.count], [\Shape.name, \Shape.count]])
    #expect(Corner._$uniqueness.isEmpty)
  }

  @Test func `collections change in place`() {
    let shape = Shape(name: "a")
    shape.tags.append("x")
    shape.tags[0] += "y"
    #expect(shape.tags == ["xy"])
    shape.corners.append(Corner())
    #expect(shape.corners.count == 1)
  }
}
