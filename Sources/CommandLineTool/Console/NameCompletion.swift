import ArgumentParser
import RecordStore

/// Names from the store that a command line names, for the completions of shells.
enum NameCompletion {
  static let entities = CompletionKind.custom { words, place, _ in names(words, place)?.entities ?? [] }

  /// Fields of the entity that the line names; behind a comma the names before it stay.
  static let fields = CompletionKind.custom { words, place, _ in
    let word = words.indices.contains(place) ? words[place] : ""
    let before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
    return names(words, place)?.fields(after: words).map { before + $0 } ?? []
  }

  /// `title=`, as insert and edit take it.
  static let assignments = CompletionKind.custom { words, place, _ in
    names(words, place)?.fields(after: words).map { "\($0)=" } ?? []
  }

  /// Those of the first word that is a store. A line that is not finished has no other answer than none.
  private static func names(_ words: [String], _ place: Int) -> CatalogueNames? {
    for (index, word) in words.enumerated() where index != place && index > 0 && !word.hasPrefix("-") {
      do {
        let url = try StoreLocation.store(at: word)
        guard StoreLocation.isStore(url) else { continue }
        var configuration = StoreConfiguration(url: url, isReadOnly: true, createsIfMissing: false)
        configuration.timeoutSeconds = 1
        return CatalogueNames(try RecordStore.open(configuration).read { $0.catalogue })
      } catch {
        // A shell shows nothing but completions.
        continue
      }
    }
    return nil
  }
}
