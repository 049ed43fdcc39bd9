import SwiftData
import Testing

/// A type that is not Codable.
struct Paint: Equatable {
  var red: UInt8
  var green: UInt8
}

final class PaintTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    guard let paint = value as? Paint, paint.red != 13 else { return nil }
    return Data([paint.red, paint.green])
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 2 else { return nil }
    return Paint(red: data[0], green: data[1])
  }
}

/// A value that refuses to be encoded while it is odd.
struct Reluctant: Codable, Equatable {
  var number = 0
  func encode(to encoder: any Encoder) throws {
    guard number.isMultiple(of: 2) else {
      throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "odd"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
  init(_ number: Int) { self.number = number }
  init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
}

@Model
final class Canvas {
  @Attribute(.unique, .spotlight, .preserveValueOnDeletion) var name: String
  @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint = Paint(red: 1, green: 2)
  @Attribute(.transformable(by: PaintTransformer.self)) var second: Paint?
  @Attribute(.transformable(by: "paint")) var named: Paint? = Paint(red: 3, green: 4)
  @Attribute(.codable) var address: URL = URL(string: "a", relativeTo: URL(string: "https://example.org"))!
  @Attribute(.codable) var count: Int = 5
  @Attribute(.ephemeral) var zoom: Double = 1.5
  @Attribute(.ephemeral) var selection: [Int] = []
  @Attribute(.externalStorage, originalName: "picture") var image: Data?
  @Attribute(.allowsCloudEncryption, hashModifier: "v2") var secret: String?
  var reluctant: Reluctant = Reluctant(0)
  @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Sketch.canvas) var sketches: [Sketch] = []

  init(name: String) { self.name = name }
}

@Model
final class Sketch {
  var title: String
  var canvas: Canvas?
  init(title: String) { self.title = title }
}

@Suite struct AttributeOptionTests {
  private let context: ModelContext

  init() throws {
    ValueTransformer.setValueTransformer(PaintTransformer(), forName: NSValueTransformerName("paint"))
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    context = ModelContext(try ModelContainer(for: Canvas.self, configurations: configuration))
  }

  private func inserted(_ name: String = "c") -> Canvas {
    let canvas = Canvas(name: name)
    canvas.sketches = [Sketch(title: "s")]
    context.insert(canvas)
    return canvas
  }

  /// The object in a context of its own, which lives as long as `body` runs.
  private func reread<Result>(_ canvas: Canvas, _ body: (Canvas) throws -> Result) throws -> Result {
    let other = ModelContext(context.container)
    let result = try body(try #require(other.model(for: canvas.persistentModelID) as? Canvas))
    try other.save()
    return result
  }

  @Test func `a transformer keeps values of a type that is not Codable`() throws {
    let canvas = inserted()
    canvas.paint.green = 9
    canvas.second = Paint(red: 7, green: 8)
    try context.save()
    try reread(canvas) { again in
      #expect(again.paint == Paint(red: 1, green: 9) && again.second == Paint(red: 7, green: 8))
      #expect(again.named == Paint(red: 3, green: 4))
      again.second = nil
      again.named = nil
    }
    try reread(canvas) { #expect($0.second == nil && $0.named == nil) }
    let paint = Paint(red: 1, green: 9)
    #expect(try context.fetch(FetchDescriptor<Canvas>()).filter { $0.paint == paint }.count == 1)
    #expect(canvas.getTransformableValue(forKey: \.paint) == paint)
    canvas.setTransformableValue(forKey: \.paint, to: Paint(red: 0, green: 0))
    #expect(canvas.paint == Paint(red: 0, green: 0))
  }

  @Test func `a value that can not be coded makes the save throw, and is kept until it is set right`() throws {
    let canvas = inserted()
    canvas.paint = Paint(red: 13, green: 0)
    for _ in 1...2 {
      #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
      #expect(canvas.paint == Paint(red: 13, green: 0) && context.hasChanges)
    }
    canvas.paint.red = 12
    canvas.reluctant = Reluctant(3)
    #expect { try context.save() } throws: { "\($0)".contains("Canvas.reluctant") }
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Canvas>()) == 0)
    canvas.reluctant = Reluctant(4)
    try context.save()
    canvas.reluctant.number = 5
    #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
    context.rollback()
    #expect(canvas.reluctant == Reluctant(4))
    try reread(canvas) { #expect($0.reluctant == Reluctant(4)) }
  }

  @Test func `a codable attribute is kept as its type encodes itself`() throws {
    let canvas = inserted()
    try context.save()
    try reread(canvas) { again in
      #expect(again.address.absoluteString == "https://example.org/a" && again.count == 5)
      again.count += 1
    }
    try reread(canvas) { #expect($0.count == 6) }
    let six = FetchDescriptor<Canvas>(predicate: #Predicate { $0.count == 6 })
    #expect(try context.fetch(six) == [canvas])
  }

  @Test func `an ephemeral attribute counts as a change and is not stored`() throws {
    let canvas = inserted()
    canvas.zoom = 4
    try context.save()
    #expect(canvas.zoom == 4)
    #expect(!context.hasChanges)
    canvas.selection.append(1)
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges && canvas.selection == [1])
    // Another context's save leaves it alone.
    try reread(canvas) { again in
      #expect(again.zoom == 1.5 && again.selection == [])
      again.count = 9
    }
    context.processPendingChanges()
    #expect(canvas.count == 9)
    #expect(canvas.zoom == 4 && canvas.selection == [1])
    canvas.zoom = 5
    context.rollback()
    #expect(canvas.zoom == 4)
    #expect(try context.fetch(FetchDescriptor<Canvas>(predicate: #Predicate { $0.zoom > 3 })) == [canvas])
  }

  @Test func `large data come back as they were, and go when they are set to nil`() throws {
    let canvas = inserted()
    let image = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    canvas.image = image
    try context.save()
    try reread(canvas) { again in
      #expect(again.image == image)
      again.image = nil
    }
    try reread(canvas) { #expect($0.image == nil) }
  }

  @Test func `the numbers of related objects are checked by the save`() throws {
    let empty = Canvas(name: "empty")
    context.insert(empty)
    #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
    empty.sketches = (1...3).map { Sketch(title: "\($0)") }
    #expect { try context.save() } throws: { error in
      let text = "\(error)"
      return text.contains("Canvas") && text.contains("sketches") && text.contains("3") && text.contains("1 to 2")
    }
    empty.sketches.removeLast()
    try context.save()
    empty.sketches.removeAll()
    #expect { try context.save() } throws: { SwiftDataError.modelValidationFailure ~= $0 }
    context.rollback()
    #expect(empty.sketches.count == 2)
    // With the object its limits go too.
    context.delete(empty)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Sketch>()) == 3)
  }
}
