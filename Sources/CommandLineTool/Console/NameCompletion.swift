import ArgumentParser
import RecordStore

/// Names from the store that a command line names, for the completions of shells.
enum NameCompletion {
  static let entities = CompletionKind.custom { words, place, _ in offered(names(words, place)?.entities ?? []) }

  /// Fields of the entity that the line names. Behind a comma the names before it stay, and are not offered again; a
  /// minus stays before a name that is sorted by.
  static let fields = CompletionKind.custom { words, place, _ in
    let word = words.indices.contains(place) ? words[place] : ""
    var before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
    let given = Set(before.split(separator: ",").map { $0.hasPrefix("-") ? $0.dropFirst() : $0 })
    if word.dropFirst(before.count).hasPrefix("-") { before += "-" }
    let fields = names(words, place)?.fields(after: words) ?? []
    return offered(fields.filter { !given.contains($0[...]) }.map { before + $0 })
  }

  /// `title=`, as insert and edit take it.
  static let assignments = CompletionKind.custom { words, place, _ in
    offered(names(words, place)?.fields(after: words).map { "\($0)=" } ?? [])
  }

  /// Those that no shell takes for more than a word. Bash runs what stands in `$(…)` in a word that it is offered, and
  /// a store's names may be those of somebody else.
  private static func offered(_ words: [String]) -> [String] {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,=".unicodeScalars)
    return words.filter { word in word.unicodeScalars.allSatisfy { plain.contains($0) || $0.value >= 0xA0 } }
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
