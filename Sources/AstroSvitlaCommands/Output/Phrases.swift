import AstroSvitla

/// What the program says, in two languages.
struct Phrases {
  let language: AppLanguage

  func say(_ english: String, _ ukrainian: String) -> String {
    language == .english ? english : ukrainian
  }

  func bought(_ credits: Int, _ price: String, _ transaction: UInt64) -> String {
    say(
      "bought: \(self.credits(credits)) · \(price) · transaction \(transaction)",
      "куплено: \(self.credits(credits)) · \(price) · транзакція \(transaction)")
  }

  func credits(_ count: Int) -> String {
    let last = count % 10
    let ukrainian =
      (11...14).contains(count % 100)
      ? "кредитів" : last == 1 ? "кредит" : (2...4).contains(last) ? "кредити" : "кредитів"
    return say("\(count) \(count == 1 ? "credit" : "credits")", "\(count) \(ukrainian)")
  }

  var notTold: String {
    say(
      "the App Store could not be told that it is delivered; the next launch tells it",
      "не вдалося повідомити App Store про доставку; це зробить наступний запуск")
  }

  func recovered(_ credits: Int) -> String {
    say("recovered: \(self.credits(credits))", "відновлено: \(self.credits(credits))")
  }
  func refunded(_ id: UInt64, used: Int) -> String {
    say(
      "refunded: transaction \(id), \(self.credits(used)) of it used",
      "повернено кошти: транзакція \(id), з неї використано \(self.credits(used))")
  }
  func reversed(_ id: UInt64) -> String {
    say("refund reversed: transaction \(id)", "повернення скасовано: транзакція \(id)")
  }
  func putAside(_ reason: QuarantineReason) -> String {
    say("put aside: \(reason.name(in: .english))", "відкладено: \(reason.name(in: .ukrainian))")
  }
  func approved(_ id: UInt64) -> String {
    say(
      "approved: transaction \(id) is paid; the app takes it at its next launch",
      "схвалено: транзакцію \(id) оплачено; застосунок отримає її під час наступного запуску")
  }
  func declined(_ id: UInt64) -> String { say("declined: request \(id)", "відхилено: запит \(id)") }
  func storeRefunded(_ id: UInt64) -> String {
    say(
      "the App Store took transaction \(id) back; the app hears of it at its next launch",
      "App Store повернув кошти за транзакцію \(id); застосунок дізнається під час наступного запуску")
  }
  func storeReversed(_ id: UInt64) -> String {
    say(
      "the App Store reversed the refund of transaction \(id)",
      "App Store скасував повернення коштів за транзакцію \(id)")
  }
  func balance(_ balance: CreditBalance) -> String {
    let parts = [
      say("available \(balance.available)", "доступно \(balance.available)"),
      say("consumed \(balance.consumed)", "використано \(balance.consumed)"),
      say("purchased \(balance.purchased)", "придбано \(balance.purchased)"),
      balance.revoked > 0 ? say("refunded \(balance.revoked)", "повернено \(balance.revoked)") : nil,
      balance.overdrawn > 0 ? say("overdrawn \(balance.overdrawn)", "перевитрата \(balance.overdrawn)") : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " · ")
  }
  func nothing(_ thing: String) -> String { say("no \(thing)", "немає") }
  func chartAdded(_ name: String, _ id: String) -> String { say("added: \(name) · \(id)", "додано: \(name) · \(id)") }
  func generated(_ area: String, words: Int, minutes: Int, _ id: String) -> String {
    say(
      "\(area) · \(words) words · \(minutes) min · request \(id)",
      "\(area) · слів: \(words) · \(minutes) хв · запит \(id)")
  }

  func renamed(_ name: String) -> String { say("renamed: \(name)", "перейменовано: \(name)") }
  func deleted(_ name: String) -> String { say("deleted: \(name)", "видалено: \(name)") }
  func offer(_ state: AreaOffer.State) -> String {
    switch state {
    case .owned: say("owned", "придбано")
    case .available: say("for one credit", "за один кредит")
    case .locked: say("locked: no free credit", "закрито: немає вільного кредиту")
    }
  }

  var profileHeader: [String] {
    language == .english ? ["id", "name", "charts", "reports"] : ["id", "ім’я", "карт", "звітів"]
  }
  var productHeader: [String] {
    language == .english
      ? ["product", "name", "credits", "price", "discount"]
      : ["продукт", "назва", "кредитів", "ціна", "знижка"]
  }
  var chartHeader: [String] {
    language == .english
      ? ["id", "name", "born", "time zone", "profile", "reports"]
      : ["id", "ім’я", "народження", "часовий пояс", "профіль", "звітів"]
  }
  var planetHeader: [String] {
    language == .english
      ? ["planet", "sign", "degree", "house", "a day", "latitude", "motion"]
      : ["планета", "знак", "градус", "дім", "за добу", "широта", "рух"]
  }
  var aspectHeader: [String] {
    language == .english ? ["aspect", "deviation", "motion"] : ["аспект", "відхилення", "рух"]
  }
  var reportHeader: [String] {
    language == .english
      ? ["request", "area", "chart", "language", "words", "made", "price"]
      : ["запит", "тема", "карта", "мова", "слів", "створено", "ціна"]
  }
  var purchaseHeader: [String] {
    language == .english
      ? ["transaction", "date", "product", "credits", "used", "price", "storefront", "delivered by", "state"]
      : ["транзакція", "дата", "продукт", "кредитів", "використано", "ціна", "країна", "доставлено через", "стан"]
  }
  var waitingHeader: [String] {
    language == .english
      ? ["request", "product", "quantity", "account", "device", "since"]
      : ["запит", "продукт", "кількість", "акаунт", "пристрій", "з"]
  }

  /// How a purchase reached the app; of an unknown way its raw value.
  func delivery(_ path: DeliveryPath) -> String {
    switch path {
    case .purchase: say("purchase", "покупка")
    case .updates: say("updates", "оновлення")
    case .recovery: say("recovery", "відновлення")
    case .unknown: say("unknown", "невідомо")
    default: path.rawValue
    }
  }
  func state(_ purchase: PurchaseDetails) -> String {
    state(isRefunded: purchase.revokedAt != nil, isFinished: purchase.finishedAt != nil)
  }
  func state(isRefunded: Bool, isFinished: Bool) -> String {
    if isRefunded { return say("refunded", "кошти повернено") }
    return !isFinished ? say("not finished", "не завершено") : say("finished", "завершено")
  }
  func statistics(_ numbers: PurchaseStatistics) -> [String] {
    let spent = numbers.spent.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    return [
      say(
        "purchases \(numbers.purchaseCount), refunded \(numbers.refundedCount)",
        "покупок \(numbers.purchaseCount), повернено \(numbers.refundedCount)"),
      say("spent \(spent.isEmpty ? "0" : spent)", "витрачено \(spent.isEmpty ? "0" : spent)"),
      say("reports \(numbers.reportCount)", "звітів \(numbers.reportCount)"),
      balance(numbers.balance),
    ]
  }
}
