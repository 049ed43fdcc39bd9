/// The Swift source of a type that holds any `Codable` value by its JSON.
struct JSONValueSource {
  let names: ModelNames

  var lines: [String] { head + decoding + encoding }

  private var head: [String] {
    let protocols = ["Codable", "Hashable", "Sendable"].map(names.swift).joined(separator: ", ")
    return [
      "/// A `Codable` value by its JSON: the store does not know its type. Put the type of your app in its place.",
      "enum \(names.value): \(protocols) {",
      "  case null",
      "  case bool(\(names.swift("Bool")))",
      "  case number(\(names.swift("Double")))",
      "  case string(\(names.swift("String")))",
      "  case array([\(names.value)])",
      "  case object([\(names.swift("String")): \(names.value)])",
      "",
    ]
  }

  private var decoding: [String] {
    [
      "  init(from decoder: any \(names.swift("Decoder"))) throws {",
      "    let container = try decoder.singleValueContainer()",
      "    if container.decodeNil() {",
      "      self = .null",
      "    } else if let value = try? container.decode(\(names.swift("Bool")).self) {",
      "      self = .bool(value)",
      "    } else if let value = try? container.decode(\(names.swift("Double")).self) {",
      "      self = .number(value)",
      "    } else if let value = try? container.decode(\(names.swift("String")).self) {",
      "      self = .string(value)",
      "    } else if let value = try? container.decode([\(names.value)].self) {",
      "      self = .array(value)",
      "    } else {",
      "      self = .object(try container.decode([\(names.swift("String")): \(names.value)].self))",
      "    }",
      "  }",
      "",
    ]
  }

  private var encoding: [String] {
    [
      "  func encode(to encoder: any \(names.swift("Encoder"))) throws {",
      "    var container = encoder.singleValueContainer()",
      "    switch self {",
      "    case .null: try container.encodeNil()",
      "    case .bool(let value): try container.encode(value)",
      "    case .number(let value): try container.encode(value)",
      "    case .string(let value): try container.encode(value)",
      "    case .array(let value): try container.encode(value)",
      "    case .object(let value): try container.encode(value)",
      "    }",
      "  }",
      "}",
    ]
  }
}
