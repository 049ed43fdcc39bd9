import AstroSvitla

/// What is said of charts.
extension Phrases {
  func recalculated(_ name: String) -> String { say("calculated anew: \(name)", "обчислено заново: \(name)") }

  var retrograde: String { say("retrograde", "ретроградний") }
  var ascendant: String { say("ascendant", "асцендент") }
  var midheaven: String { say("midheaven", "середина неба") }

  func houses(_ system: HouseSystem?) -> String {
    switch system {
    case .placidus: say("houses by Placidus", "доми за Плацидусом")
    case .equal: say("equal houses", "рівні доми")
    case nil: say("houses", "доми")
    }
  }

  var houseHeader: [String] {
    language == .english ? ["house", "sign", "degree", "point"] : ["дім", "знак", "градус", "точка"]
  }
  var placeHeader: [String] {
    language == .english
      ? ["place", "latitude", "longitude", "time zone"] : ["місце", "широта", "довгота", "часовий пояс"]
  }

  func clockSkipped(_ time: String, _ moment: String) -> String {
    say(
      "clocks there were set forward past \(time) that day: taken as if they had not been, \(moment) in UTC",
      "того дня годинники там перевели вперед через \(time): узято так, наче їх не переводили, \(moment) за UTC")
  }
  func clockRepeated(_ time: String, _ first: String, _ second: String) -> String {
    say(
      "clocks there showed \(time) twice that day: taken is the first, \(first) in UTC; if the second is meant, give "
        + "\(second) with --time-zone UTC",
      "того дня годинники там двічі показали \(time): узято перший раз, \(first) за UTC; якщо йдеться про другий, "
        + "подайте \(second) з --time-zone UTC")
  }
  func sharedHistory(_ zone: String) -> String {
    say(
      "before 1970 this system may keep for \(zone) the clocks of a neighbour; if you know the moment in UTC, give "
        + "that with --time-zone UTC",
      "для часу до 1970 року ця система може мати для \(zone) годинники сусіда; якщо ви знаєте момент за UTC, подайте "
        + "його з --time-zone UTC")
  }
}
