import RecordStore

/// The attribute by which people know the records of an entity: `name`, `title` or `label`, else a unique text.
enum RecordName {
  private static let usual = ["name", "title", "label"]
  private static let longest = 40

  static func field(of entity: CatalogueEntity) -> CatalogueField? {
    let texts = entity.fields.filter { $0.isDeclared && $0.type == .string && !$0.name.hasPrefix("~") }
    for name in usual {
      if let field = texts.first(where: { $0.name == name }) { return field }
    }
    let unique = entity.indexes.filter { $0.isUnique && $0.components.count == 1 }.map { $0.components[0].ordinal }
    return texts.first { unique.contains($0.ordinal) }
  }

  /// The record's name, cut and fit for a terminal; nil where it has none.
  static func text(of record: RecordImage, in catalogue: Catalogue) -> String? {
    guard let field = field(of: catalogue.entities[record.entity]), case .string(let text) = record.value(of: field),
      !text.isEmpty
    else { return nil }
    return DisplayText.cut(DisplayText.visible(text), to: longest)
  }
}
