import Tandem

/// The first code of the article KeepingSettings, where the environment of this process says where groups lie.
func playTour() throws {
  let settings = try KeyValueStore(suiteName: "group.org.example.books")
  settings.register(defaults: ["currency": "EUR", "showsTotals": true])
  try settings.set(false, forKey: "showsTotals")
  print(try settings.bool(forKey: "showsTotals"), try settings.string(forKey: "currency") ?? "none")
}

/// The properties of the article, in the same suite.
func playProperties() throws {
  struct Preferences {
    @Stored("theme", suite: "group.org.example.books") var theme = "light"
    @Stored("columns", suite: "group.org.example.books") var columns = 2
    @Stored("account", suite: "group.org.example.books") var account: String?
  }
  let preferences = Preferences()
  preferences.theme = "dark"
  preferences.columns += 1
  try preferences.$account.set("ada")
  print(preferences.theme, preferences.columns, preferences.account ?? "none")
}
