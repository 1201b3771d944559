/**
 * The standard short codes that the bot writes, and those that people type most. Names are as in Slack's own source,
 * https://github.com/iamcal/emoji-data. An unknown code stays text.
 */

const table = `
warning ⚠️|rotating_light 🚨|fire 🔥|boom 💥|no_entry ⛔|no_entry_sign 🚫|x ❌|bangbang ‼️|exclamation ❗|question ❓
white_check_mark ✅|heavy_check_mark ✔️|ballot_box_with_check ☑️|ok 🆗|new 🆕|up 🆙|sos 🆘|100 💯|tada 🎉|sparkles ✨
grey_question ❔|large_blue_circle 🔵|blue_circle 🔵|red_circle 🔴|large_red_circle 🔴|large_green_circle 🟢|large_yellow_circle 🟡
large_orange_circle 🟠|large_purple_circle 🟣|large_brown_circle 🟤|white_circle ⚪|black_circle ⚫
large_red_square 🟥|large_orange_square 🟧|large_yellow_square 🟨|large_green_square 🟩|large_blue_square 🟦
white_large_square ⬜|black_large_square ⬛|white_small_square ▫️|black_small_square ▪️|small_red_triangle 🔺
small_red_triangle_down 🔻|large_orange_diamond 🔶|large_blue_diamond 🔷|small_blue_diamond 🔹|small_orange_diamond 🔸
information_source ℹ️|mag 🔍|mag_right 🔎|bulb 💡|bell 🔔|no_bell 🔕|mute 🔇|speaker 🔈|loudspeaker 📢|mega 📣
hourglass ⌛|hourglass_flowing_sand ⏳|stopwatch ⏱️|alarm_clock ⏰|clock1 🕐|clock3 🕒|clock9 🕘|calendar 📆|date 📅
spiral_calendar_pad 🗓️|watch ⌚|zzz 💤|double_vertical_bar ⏸️|black_right_pointing_triangle_with_double_vertical_bar ⏯️
arrow_forward ▶️|arrow_backward ◀️|black_square_for_stop ⏹️|fast_forward ⏩|rewind ⏪|repeat 🔁|arrows_counterclockwise 🔄
arrow_up ⬆️|arrow_down ⬇️|arrow_right ➡️|arrow_left ⬅️|arrow_upper_right ↗️|arrow_lower_right ↘️|leftwards_arrow_with_hook ↩️
chart_with_upwards_trend 📈|chart_with_downwards_trend 📉|bar_chart 📊|clipboard 📋|memo 📝|page_facing_up 📄|scroll 📜
file_folder 📁|open_file_folder 📂|package 📦|inbox_tray 📥|outbox_tray 📤|paperclip 📎|link 🔗|lock 🔒|unlock 🔓|key 🔑
old_key 🗝️|closed_lock_with_key 🔐|shield 🛡️|gear ⚙️|wrench 🔧|hammer 🔨|hammer_and_wrench 🛠️|nut_and_bolt 🔩|chains ⛓️
electric_plug 🔌|battery 🔋|satellite_antenna 📡|computer 💻|desktop_computer 🖥️|floppy_disk 💾|minidisc 💽|robot_face 🤖
rocket 🚀|construction 🚧|checkered_flag 🏁|triangular_flag_on_post 🚩|pushpin 📌|round_pushpin 📍|label 🏷️|bookmark 🔖
moneybag 💰|credit_card 💳|bank 🏦|globe_with_meridians 🌐|earth_africa 🌍|cloud ☁️|thunder_cloud_and_rain ⛈️|zap ⚡
sunny ☀️|snowflake ❄️|umbrella ☂️|rainbow 🌈|star ⭐|ghost 👻|skull 💀|bug 🐛|ant 🐜|snail 🐌|turtle 🐢|octopus 🐙|unicorn_face 🦄
smile 😄|smiley 😃|grinning 😀|grin 😁|joy 😂|sweat_smile 😅|slightly_smiling_face 🙂|upside_down_face 🙃|wink 😉|blush 😊
heart_eyes 😍|sunglasses 😎|thinking_face 🤔|neutral_face 😐|expressionless 😑|confused 😕|worried 😟|cry 😢|sob 😭|scream 😱
rage 😡|angry 😠|sleeping 😴|relieved 😌|facepalm 🤦|face_palm 🤦|shrug 🤷|wave 👋|raised_hand ✋|hand ✋|ok_hand 👌
+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|clap 👏|raised_hands 🙌|pray 🙏|handshake 🤝|muscle 💪|point_right 👉|point_left 👈
point_up_2 👆|point_down 👇|eyes 👀|eye 👁️|brain 🧠|busts_in_silhouette 👥|bust_in_silhouette 👤|detective 🕵️|heart ❤️
broken_heart 💔|green_heart 💚|blue_heart 💙|coffee ☕|beer 🍺|pizza 🍕|cake 🍰|gift 🎁|trophy 🏆|dart 🎯|game_die 🎲|magic_wand 🪄
one 1️⃣|two 2️⃣|three 3️⃣|four 4️⃣|five 5️⃣|six 6️⃣|seven 7️⃣|eight 8️⃣|nine 9️⃣|keycap_ten 🔟|zero 0️⃣|heavy_plus_sign ➕|heavy_minus_sign ➖
speech_balloon 💬|thought_balloon 💭|email ✉️|envelope ✉️|wastebasket 🗑️|ledger 📒|books 📚|book 📖|test_tube 🧪|microscope 🔬
`;

const characters: ReadonlyMap<string, string> = new Map(
  table
    .trim()
    .split(/[|\n]/)
    .map((entry): [string, string] => {
      const [name = '', character = ''] = entry.split(' ');
      return [name, character];
    }),
);

/** @param name without colons, optionally with a skin tone after `::` @returns its characters, or undefined */
export function emojiCharacter(name: string): string | undefined {
  const [base = '', tone] = name.toLowerCase().split('::skin-tone-');
  const character = characters.get(base);
  if (character === undefined || tone === undefined) return character;
  return character + (skinTones[Number(tone) - 2] ?? '');
}

const skinTones = ['🏻', '🏼', '🏽', '🏾', '🏿'] as const;
