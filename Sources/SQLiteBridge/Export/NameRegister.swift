/// Gives each thing a name that SQLite tells from the others: `name`, `name_2`, `name_3`.
struct NameRegister {
  private var taken: Set<String> = []

  mutating func name(_ wanted: String) -> String {
    var base = SQLiteName.storable(wanted)
    // SQLite keeps such names for itself.
    if SQLiteName.folded(base).hasPrefix("sqlite_") || base.isEmpty { base = "_" + base }
    var name = base
    var number = 1
    while !taken.insert(SQLiteName.folded(name)).inserted {
      number += 1
      name = "\(base)_\(number)"
    }
    return name
  }
}
