// 翻译模型中英文词的意思。

/** @type {typeof import('../en/glosses.js').texts} */
export const texts = {
  glosses:
    'autonomous=自动 driving=驾驶 who=的 she=她 he=他 new=新 old=旧 red=红 big=大 good=好 expensive=贵 simple=简单 buys=购买 sells=出售 ' +
    'uses=使用 sees=看见 tests=测试 builds=建造 wants=想要 likes=喜欢 needs=需要 shows=展示 today=今天 tonight=今晚 tomorrow=明天 now=现在 ' +
    'again=再次 in=在 near=靠近 from=从 beijing=北京 shanghai=上海 park=公园 office=办公室 station=车站 school=学校 car=汽车 cars=汽车 ' +
    'bicycle=自行车 bicycles=自行车 book=书 books=书 map=地图 maps=地图 ticket=票 tickets=票 robot=机器人 robots=机器人 system=系统 ' +
    'systems=系统 solution=解决方案 solutions=解决方案 teacher=老师 student=学生 engineer=工程师 doctor=医生 company=公司 a=一 an=一 this=这 ' +
    'two=两 the=（不译）',
}
