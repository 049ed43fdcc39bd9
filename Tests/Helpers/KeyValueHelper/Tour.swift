import Tandem

/// The first code of the article KeepingSettings, where the environment of this process says where groups lie.
func playTour() throws {
  let settings = try KeyValueStore(suiteName: "group.org.example.books")
  settings.register(defaults: ["currency": "EUR", "showsTotals": true])
  try settings.set(false, forKey: "showsTotals")
  print(try settings.bool(forKey: "showsTotals"), try settings.string(forKey: "currency") ?? "none")
}
