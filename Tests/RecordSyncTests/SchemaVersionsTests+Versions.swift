import RecordStore

extension SchemaVersionsTests {
  /// What the versions change beyond fields that come.
  enum Change: String, CaseIterable {
    case renamedFields, renamedClass, goneField, requiredField, uniqueField, cascade, movedLinks
    /// Links that move into a join, and back.
    case linksBack
    /// A one-to-one relationship, which comes and then lies on the other side.
    case oneToOne
    /// Another type of an attribute, by a stage of the app's own.
    case changedType
    /// An attribute that goes, and another one of its name and another type.
    case otherType
    /// An entity that goes and comes back.
    case goneEntity
  }

  /// Four versions of one schema, of which each differs from the one before by some changes.
  struct Versions {
    static let last = 3
    let changes: Set<Change>

    /// Whether a note may have several tags.
    func hasManyTags(_ version: Int) -> Bool {
      changes.contains(.linksBack) ? version == 2 : changes.contains(.movedLinks) && version > 1
    }

    func hasBadges(_ version: Int) -> Bool { changes.contains(.oneToOne) && version > 0 }

    /// A delete rule of the other side lets the note keep the link; else the badge does.
    func isBadgeOfNote(_ version: Int) -> Bool { version > 2 }

    func hasExtras(_ version: Int) -> Bool { changes.contains(.goneEntity) && version != 2 }

    func name(_ version: Int) -> String { changes.contains(.renamedClass) && version > 2 ? "Memo" : "Note" }

    /// The names of a property in all versions; nil where there is none.
    private func names(_ property: String) -> [String?] {
      let isRenamed = changes.contains(.renamedFields)
      switch property {
      case "text": return isRenamed ? ["text", "text", "body", "content"] : ["text", "text", "text", "text"]
      case "mark": return isRenamed ? [nil, "mark", "label", "label"] : [nil, "mark", "mark", "mark"]
      case "folder": return isRenamed ? ["folder", "folder", "folder", "place"] : Array(repeating: "folder", count: 4)
      case "gone":
        if changes.contains(.otherType) { return ["gone", "gone", nil, nil] }
        return changes.contains(.goneField) ? ["gone", "gone", nil, "gone"] : Array(repeating: "gone", count: 4)
      case "count": return [nil, nil, nil, changes.contains(.otherType) ? "gone" : nil]
      case "size": return Array(repeating: changes.contains(.changedType) ? "size" : nil, count: 4)
      case "color": return [nil, nil, "color", "color"]
      default: return Array(repeating: property, count: 4)
      }
    }

    func name(of property: String, _ version: Int) -> String? { names(property)[version] }

    private func originalName(of property: String, _ version: Int) -> String? {
      let names = names(property)
      return (0..<version).reversed().lazy.compactMap { names[$0] }.first { $0 != names[version] }
    }

    subscript(version: Int) -> StoreSchema {
      func has(_ change: Change) -> Bool { changes.contains(change) && version > 1 }
      func attribute(
        _ property: String, _ type: FieldType = .string, isOptional: Bool = true, defaultValue: FieldValue? = nil
      ) -> AttributeDefinition? {
        name(of: property, version).map { name in
          AttributeDefinition(
            name: name, originalName: originalName(of: property, version), type: type, isOptional: isOptional,
            defaultValue: defaultValue)
        }
      }
      let rank = attribute(
        "rank", .int, isOptional: !has(.requiredField), defaultValue: has(.requiredField) ? .int(7) : nil)
      let color = attribute("color", isOptional: false, defaultValue: .string("red"))
      let folder = name(of: "folder", version) ?? ""
      let note = EntityDefinition(
        name: name(version), originalName: name(version) == "Memo" ? "Note" : nil,
        attributes: [
          attribute("title"), attribute("text"), attribute("mark"), attribute("gone"), rank, color, attribute("code"),
          attribute("count", .int), attribute("size", version > 1 ? .string : .int),
        ].compactMap(\.self),
        relationships: [
          RelationshipDefinition(
            name: folder, originalName: originalName(of: "folder", version), destination: "Folder", inverse: "notes"),
          RelationshipDefinition(
            name: "tag", destination: "Tag", isToMany: hasManyTags(version), inverse: "notes"),
        ] + (hasBadges(version) ? [RelationshipDefinition(name: "badge", destination: "Badge", inverse: "note")] : []),
        uniquenessConstraints: has(.uniqueField) ? [["code"]] : [], indexes: [IndexDefinition("title")])
      let notes = RelationshipDefinition(
        name: "notes", destination: name(version), isToMany: true, deleteRule: has(.cascade) ? .cascade : .nullify,
        inverse: folder)
      let tagged = RelationshipDefinition(name: "notes", destination: name(version), isToMany: true, inverse: "tag")
      return StoreSchema(
        version: SchemaVersion(version + 1, 0, 0),
        entities: [
          note, EntityDefinition(name: "Folder", relationships: [notes]),
          EntityDefinition(name: "Tag", relationships: [tagged]),
        ] + badges(version) + extras(version))
    }

    private func badges(_ version: Int) -> [EntityDefinition] {
      guard hasBadges(version) else { return [] }
      let bearer = RelationshipDefinition(
        name: "note", destination: name(version), deleteRule: isBadgeOfNote(version) ? .cascade : .nullify,
        inverse: "badge")
      return [EntityDefinition(name: "Badge", relationships: [bearer])]
    }

    private func extras(_ version: Int) -> [EntityDefinition] {
      guard hasExtras(version) else { return [] }
      let label = AttributeDefinition(name: "label", type: .string, isOptional: true)
      let owner = RelationshipDefinition(name: "owner", destination: name(version))
      return [EntityDefinition(name: "Extra", attributes: [label], relationships: [owner])]
    }
  }
}
