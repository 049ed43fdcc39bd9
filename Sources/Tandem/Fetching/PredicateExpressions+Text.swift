import Foundation
import RecordStore

extension PredicateExpressions.CollectionContainsCollection: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let base = translator.operand(base), let other = translator.operand(other) else { return nil }
    if case .searchKey(let base) = base, case .searchKey(let other) = other {
      return base.textFilter(other) {
        .localizedContains($0, $1)
      } whenNil: {
        $0._searchKey.contains($1._searchKey)
      }
    }
    return base.filter(.contains, other) { CharacterSearch.contains($0, $1) }
  }
}

extension PredicateExpressions.SequenceStartsWith: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard let base = translator.operand(base), let prefix = translator.operand(prefix) else { return nil }
    return base.filter(.hasPrefix, prefix) { $0.starts(with: $1) }
  }
}

extension PredicateOperand {
  /// A condition on a text attribute; `holds` decides for the substitute of an absent one.
  fileprivate func filter(
    _ match: RecordFilter.TextMatch, _ other: PredicateOperand, _ holds: (String, String) -> Bool
  ) -> RecordFilter? {
    textFilter(other) {
      .text($0, match, $1)
    } whenNil: {
      holds($0, $1)
    }
  }

  func textFilter(
    _ other: PredicateOperand, _ condition: (FieldPath, String) -> RecordFilter, whenNil: (String, String) -> Bool
  ) -> RecordFilter? {
    guard case .constant(let value) = other, let text = value as? String else { return nil }
    switch self {
    case .field(let field) where field.plainType == String.self && !field.isOptional:
      return condition(field.path, text)
    case .coalesced(let field, let substitute) where field.plainType == String.self:
      guard let substitute = unwrapped(substitute) as? String else { return nil }
      let present = condition(field.path, text)
      return whenNil(substitute, text) ? .or([.compare(field.path, .equal, .null), present]) : present
    default: return nil
    }
  }
}

/// Searches by characters, as predicates do. (Foundation's search in strings differs: it finds a line feed
/// inside of a carriage return with line feed, and nothing where the part is empty.)
enum CharacterSearch {
  static func contains<Text: Collection<Character>>(_ text: Text, _ part: Text) -> Bool { text.contains(part) }
}
