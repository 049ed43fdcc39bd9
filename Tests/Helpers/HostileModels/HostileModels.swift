import Foundation
import Tandem

@Tandem::Model final class `1st` {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class `Any` {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class AnyKeyPath {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Attribute {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Date {
  #Tandem::Group<Date>(\.`some`, \.hashValueValue)

  var `default`: Swift::Int
  var `init`: Swift::Int
  @Tandem::Attribute(originalName: "Type") var TypeValue: Swift::Int
  @Tandem::Attribute(originalName: "Self") var SelfValue: Swift::Int
  var `Any`: Swift::Int
  @Tandem::Attribute(originalName: "Protocol") var ProtocolValue: Swift::Int
  var `await`: Swift::Int
  var `some`: Swift::Int
  var `any`: Swift::Int
  var `subscript`: Swift::Int
  var storage: Swift::Int
  var newValue: Swift::Int
  var initialValue: Swift::Int
  var backingData: Swift::Int
  var id: Swift::Int
  var description: Swift::Int
  var hash: Swift::Int
  @Tandem::Attribute(originalName: "hashValue") var hashValueValue: Swift::Int
  var isDeleted: Swift::Int
  var hasChanges: Swift::Int
  @Tandem::Attribute(originalName: "modelContext") var modelContextValue: Swift::Int
  @Tandem::Attribute(originalName: "persistentModelID") var persistentModelIDValue: Swift::Int
  @Tandem::Attribute(originalName: "schemaMetadata") var schemaMetadataValue: Swift::Int
  var `copy`: Swift::Int
  var models: Swift::Int
  var title: Swift::String
  @Tandem::Attribute(originalName: "_title") var titleValue: Swift::String
  @Tandem::Attribute(originalName: "_$storage") var storageValue: Swift::String
  @Tandem::Attribute(originalName: "$0") var value0: Swift::String
  @Tandem::Attribute(originalName: "_") var value: Swift::String
  @Tandem::Attribute(originalName: "+") var value2: Swift::String
  var `1st`: Swift::String
  var `some bool`: Swift::String
  @Tandem::Attribute(originalName: "a`b") var aBValue: Swift::String
  var `a b`: Swift::String
  var aB: Swift::String
  @Tandem::Attribute(originalName: "🚲") var value3: Swift::String
  @Tandem::Attribute(originalName: "\"") var value4: Swift::String
  var émile: Swift::String

  init(
    `default`: Swift::Int, `init`: Swift::Int, TypeValue: Swift::Int, SelfValue: Swift::Int, `Any`: Swift::Int,
    ProtocolValue: Swift::Int, `await`: Swift::Int, `some`: Swift::Int, `any`: Swift::Int, `subscript`: Swift::Int,
    storage: Swift::Int, newValue: Swift::Int, initialValue: Swift::Int, backingData: Swift::Int, id: Swift::Int,
    description: Swift::Int, hash: Swift::Int, hashValueValue: Swift::Int, isDeleted: Swift::Int,
    hasChanges: Swift::Int, modelContextValue: Swift::Int, persistentModelIDValue: Swift::Int,
    schemaMetadataValue: Swift::Int, `copy`: Swift::Int, models: Swift::Int, title: Swift::String,
    titleValue: Swift::String, storageValue: Swift::String, value0: Swift::String, value: Swift::String,
    value2: Swift::String, `1st`: Swift::String, `some bool`: Swift::String, aBValue: Swift::String,
    `a b`: Swift::String, aB: Swift::String, value3: Swift::String, value4: Swift::String, émile: Swift::String
  ) {
    self.`default` = `default`
    self.`init` = `init`
    self.TypeValue = TypeValue
    self.SelfValue = SelfValue
    self.`Any` = `Any`
    self.ProtocolValue = ProtocolValue
    self.`await` = `await`
    self.`some` = `some`
    self.`any` = `any`
    self.`subscript` = `subscript`
    self.storage = storage
    self.newValue = newValue
    self.initialValue = initialValue
    self.backingData = backingData
    self.id = id
    self.description = description
    self.hash = hash
    self.hashValueValue = hashValueValue
    self.isDeleted = isDeleted
    self.hasChanges = hasChanges
    self.modelContextValue = modelContextValue
    self.persistentModelIDValue = persistentModelIDValue
    self.schemaMetadataValue = schemaMetadataValue
    self.`copy` = `copy`
    self.models = models
    self.title = title
    self.titleValue = titleValue
    self.storageValue = storageValue
    self.value0 = value0
    self.value = value
    self.value2 = value2
    self.`1st` = `1st`
    self.`some bool` = `some bool`
    self.aBValue = aBValue
    self.`a b` = `a b`
    self.aB = aB
    self.value3 = value3
    self.value4 = value4
    self.émile = émile
  }
}

@Tandem::Model final class Decimal {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Double {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Encoder {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Foundation {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Group {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Int {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class JSONValue {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Model {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Optional {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Protocol {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Schema {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class `Self` {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class StoreModels {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class String {
  @Tandem::Attribute(originalName: "String") var StringValue: Swift::String
  var Date: Foundation::Date = Foundation::Date(timeIntervalSinceReferenceDate: 0.0)
  var Data: Foundation::Data = Foundation::Data()
  var UUID: Foundation::UUID?
  var URL: Foundation::URL?
  var Tandem: Foundation::Decimal
  @Tandem::Attribute(.unique, originalName: "self") var selfValue: Swift::Double
  var facts: JSONValue2?
  var `class`: `two wordsClass`?
  @Relationship(originalName: "Self") var SelfValue: modelsClass

  init(StringValue: Swift::String, Tandem: Foundation::Decimal, selfValue: Swift::Double, SelfValue: modelsClass) {
    self.StringValue = StringValue
    self.Tandem = Tandem
    self.selfValue = selfValue
    self.SelfValue = SelfValue
  }
}

@Tandem::Model final class Swift {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Tandem {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class Unique {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class `a.b-c` {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model final class `class` {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

@Tandem::Model class models {
  @Tandem::Attribute(originalName: "models") var modelsValue: Swift::Int

  init(modelsValue: Swift::Int) {
    self.modelsValue = modelsValue
  }
}

@Tandem::Model final class `Type`: modelsClass {
  @Tandem::Attribute(originalName: "Type.models") var modelsValue2: Swift::Int = 1

  override init(modelsValue: Swift::Int) {
    super.init(modelsValue: modelsValue)
  }
}

@Tandem::Model final class `two words` {
  @Tandem::Attribute(originalName: "two words") var twoWordsValue: Swift::String?
  @Relationship(inverse: \StringClass.`class`) var String: [StringClass] = []

  init() {}
}

@Tandem::Model final class versionIdentifier {
  var value: Swift::Int

  init(value: Swift::Int) {
    self.value = value
  }
}

enum StoreModelsSpace {
  @Tandem::Model final class Codable {
    var value: Swift::Int

    init(value: Swift::Int) {
      self.value = value
    }
  }

  @Tandem::Model final class Hashable {
    var value: Swift::Int

    init(value: Swift::Int) {
      self.value = value
    }
  }

  @Tandem::Model final class PersistentModel {
    var value: Swift::Int

    init(value: Swift::Int) {
      self.value = value
    }
  }

  @Tandem::Model final class Sendable {
    var value: Swift::Int

    init(value: Swift::Int) {
      self.value = value
    }
  }

  @Tandem::Model final class VersionedSchema {
    var value: Swift::Int

    init(value: Swift::Int) {
      self.value = value
    }
  }
}

typealias `1stClass` = `1st`
typealias AnyClass = `Any`
typealias CodableClass = StoreModelsSpace.Codable
typealias DateClass = Date
typealias DecimalClass = Decimal
typealias DoubleClass = Double
typealias HashableClass = StoreModelsSpace.Hashable
typealias IntClass = Int
typealias PersistentModelClass = StoreModelsSpace.PersistentModel
typealias ProtocolClass = Protocol
typealias SelfClass = `Self`
typealias SendableClass = StoreModelsSpace.Sendable
typealias StringClass = String
typealias TandemClass = Tandem
typealias TypeClass = `Type`
typealias VersionedSchemaClass = StoreModelsSpace.VersionedSchema
typealias classClass = `class`
typealias modelsClass = models
typealias `two wordsClass` = `two words`
typealias versionIdentifierClass = versionIdentifier

/// The store's schema: `ModelContainer(for: Schema(versionedSchema: StoreModels2.self))`.
enum StoreModels2: Tandem::VersionedSchema {
  static var versionIdentifier: Tandem::Schema.Version { Tandem::Schema.Version(1, 0, 0) }
  static var models: [any Tandem::PersistentModel.Type] {
    [
      `1stClass`.self, AnyClass.self, AnyKeyPath.self, Attribute.self, CodableClass.self, DateClass.self,
      DecimalClass.self, DoubleClass.self, Encoder.self, Foundation.self, Group.self, HashableClass.self, IntClass.self,
      JSONValue.self, Model.self, Optional.self, PersistentModelClass.self, ProtocolClass.self, Schema.self,
      SelfClass.self, SendableClass.self, StoreModels.self, StringClass.self, Swift.self, TandemClass.self, Unique.self,
      VersionedSchemaClass.self, `a.b-c`.self, classClass.self, modelsClass.self, TypeClass.self, `two wordsClass`.self,
      versionIdentifierClass.self,
    ]
  }
}

/// A `Codable` value by its JSON: the store does not know its type. Put the type of your app in its place.
enum JSONValue2: Swift::Codable, Swift::Hashable, Swift::Sendable {
  case null
  case bool(Bool)
  case number(Swift::Double)
  case string(Swift::String)
  case array([JSONValue2])
  case object([Swift::String: JSONValue2])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Swift::Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(Swift::String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue2].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([Swift::String: JSONValue2].self))
    }
  }

  func encode(to encoder: any Swift::Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
