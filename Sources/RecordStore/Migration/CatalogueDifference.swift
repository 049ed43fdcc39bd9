/// The work on a store's tables when its catalogue changes.
struct CatalogueDifference {
  let old: StoreLayout
  let new: StoreLayout

  /// Known entities whose records may have to change sides or keys.
  var rebuiltEntities: [EntityNumber] {
    old.catalogue.entities.indices.filter { isRebuilt($0) }
  }

  var addedIndexes: [(entity: EntityNumber, index: CatalogueIndex)] {
    let known = Set(old.catalogue.entities.flatMap(\.indexes).map(\.number))
    return new.catalogue.entities.flatMap { entity in
      entity.indexes.filter { !known.contains($0.number) }.map { (entity.number, $0) }
    }
  }

  /// Fields that were optional and are required now.
  func tightenedFields(of entity: EntityNumber) -> [CatalogueField] {
    let (before, after) = (old.catalogue.entities[entity].fields, new.catalogue.entities[entity].fields)
    return zip(before, after).filter { $0.isDeclared && $0.isOptional && $1.isDeclared && !$1.isOptional }.map { $1 }
  }

  /// A required reference that a known entity did not have.
  func newRequiredReference(of entity: EntityNumber) -> CatalogueField? {
    let before = old.rules[entity]
    let rule = new.rules[entity].references.first { $0.isRequired && before.reference(at: $0.ordinal) == nil }
    return rule.flatMap { rule in
      let field = new.catalogue.entities[entity].fields[rule.ordinal]
      let wasKnown = old.catalogue.entities[entity].fields.indices.contains(rule.ordinal)
      return wasKnown ? nil : field
    }
  }

  private func isRebuilt(_ number: EntityNumber) -> Bool {
    let (before, after) = (old.catalogue.entities[number], new.catalogue.entities[number])
    guard before.isDeclared == after.isDeclared, before.deleteIsFinal == after.deleteIsFinal,
      uniqueIndexes(before) == uniqueIndexes(after), hasSameRules(number)
    else { return true }
    // Rules of others decide the life of this one's records: deny and cascade are seen from the target.
    return zip(before.fields, after.fields).contains { field, changed in
      field.isDeclared && changed.isDeclared
        && (field.isOptional != changed.isOptional || field.valueWhenAbsent != changed.valueWhenAbsent)
    }
  }

  private func uniqueIndexes(_ entity: CatalogueEntity) -> Set<Int> {
    Set(entity.indexes.filter(\.isUnique).map(\.number))
  }

  private func hasSameRules(_ number: EntityNumber) -> Bool {
    let (before, after) = (old.rules[number], new.rules[number])
    return effects(before.references) == effects(after.references)
      && before.incoming.map(\.holder) == after.incoming.map(\.holder)
      && effects(before.incoming.map(\.rule)) == effects(after.incoming.map(\.rule))
  }

  /// A rule without what does not decide visibility: counts, and where its index stands.
  private func effects(_ rules: [ReferenceRule]) -> [ReferenceRule] {
    rules.map {
      ReferenceRule(
        ordinal: $0.ordinal, targets: $0.targets, isRequired: $0.isRequired, isCascade: $0.isCascade,
        isDeny: $0.isDeny, isExclusive: $0.isExclusive, minimumCount: 0, maximumCount: 0, indexPosition: 0)
    }
  }
}
